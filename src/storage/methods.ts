import type { Step } from "../base/concurrency/step.js";

/**
 * Maps each method of an interface to a function that takes the context, such as a transaction, as an additional first parameter.
 */
export type Functions<Port, On> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Result
    ? (target: On, ...args: Args) => Result
    : never;
};

export type AnyFunction<On> = (target: On, ...args: never[]) => Step<unknown>;

/**
 * Creates a class whose methods call the given functions. Every snapshot and transaction creates an instance but uses only a few
 * methods, so an instance holds only its context.
 */
export function createMethodsClass<Port, On>(
  functions: Functions<Port, On> & Readonly<Record<string, AnyFunction<On>>>,
): new (
  target: On,
) => Port {
  class Methods {
    constructor(readonly target: On) {}
  }
  for (const [name, run] of Object.entries<AnyFunction<On>>(functions)) {
    Object.defineProperty(Methods.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Methods, ...args: never[]) {
        return run(this.target, ...args);
      },
    });
  }
  // The class has a method for each function, and the functions' type requires one for each method of the port.
  return Methods as unknown as new (
    target: On,
  ) => Port;
}
