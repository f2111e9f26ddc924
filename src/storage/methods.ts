import type { Step } from "../base/concurrency/step.js";

/** A port's methods as functions that take their context as an additional first parameter. */
export type Functions<Port, On> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Result
    ? (on: On, ...args: Args) => Result
    : never;
};

/** Any function that implements a method of the port. */
export type AnyFunction<On> = (on: On, ...args: never[]) => Step<unknown>;

/**
 * Creates a class whose methods call the given functions. Each snapshot and transaction creates an object but uses only a few of
 * its methods, so the methods live on the class and an object holds only its context.
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
  // The class has a method for each function, and the functions' type requires one for each method of the port.
  return Methods as unknown as new (
    on: On,
  ) => Port;
}
