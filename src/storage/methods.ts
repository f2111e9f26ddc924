import type { Step } from "../base/concurrency/step.js";
import type { StorageReader } from "./storage-adapter.js";

/** Maps each method of an interface to a function that takes the context, such as a transaction, as an additional first parameter. */
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

/**
 * Creates the class of an organization's readers or transactions. An instance is bound to its organization, because its context
 * holds the organization's ID.
 * @param functions the functions of the port's methods.
 * @param all the functions of `all`, which reaches across organizations. They get the same context.
 */
export function createReaderClass<Port extends StorageReader, On extends { readonly organizationId: string }>(
  functions: Functions<Omit<Port, "all">, On> & Readonly<Record<string, AnyFunction<On>>>,
  all: Functions<Port["all"], On> & Readonly<Record<string, AnyFunction<On>>>,
): new (
  target: On,
) => Port {
  const All = createMethodsClass<Port["all"], On>(all);
  const Methods = createMethodsClass<Omit<Port, "all">, On>(functions);
  Object.defineProperty(Methods.prototype, "all", {
    configurable: true,
    get(this: { readonly target: On }) {
      return new All(this.target);
    },
  });
  // The class has the methods of the port, and `all`.
  return Methods as unknown as new (
    target: On,
  ) => Port;
}

/** Returns functions that do the same for the given organization, whichever organization their context is of. */
export function bindFunctions<Port, On extends { readonly organizationId: string }>(
  organizationId: string,
  functions: Functions<Port, On> & Readonly<Record<string, AnyFunction<On>>>,
): Functions<Port, On> {
  const boundFunctions = Object.entries<AnyFunction<On>>(functions).map(([name, run]) => {
    const runBound: AnyFunction<On> = (on, ...args) => run({ ...on, organizationId }, ...args);
    return [name, runBound];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(boundFunctions);
}
