import type { Step } from "../concurrency/step.js";

/** A part of the port as functions whose first parameter is what they run on. */
export type Functions<Port, On> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Result
    ? (on: On, ...args: Args) => Result
    : never;
};

/** A function of the port that may be one of many. */
export type AnyFunction<On> = (on: On, ...args: never[]) => Step<unknown>;

/**
 * Creates objects that have the functions as their methods. One is created for every snapshot and transaction, and most call few
 * methods: so the methods belong to a class, and each object only holds what they run on.
 */
export function createMethodsClass<Port, On>(
  functions: Functions<Port, On> & Readonly<Record<string, AnyFunction<On>>>,
): new (
  on: On,
) => Port {
  class Methods {
    constructor(readonly on: On) {}
  }
  for (const [name, run] of Object.entries<AnyFunction<On>>(functions)) {
    Object.defineProperty(Methods.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Methods, ...args: never[]) {
        return run(this.on, ...args);
      },
    });
  }
  // It has a method for each function, which the type of the functions demands for each method of the port.
  return Methods as unknown as new (
    on: On,
  ) => Port;
}
