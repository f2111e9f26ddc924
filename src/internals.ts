/*
 * What adapters of this package need of a service and of its organizations, and hosts don't: it has no name on them, so
 * editors don't complete it. Every copy of the package in a process finds it by a symbol.
 */

const INTERNALS = Symbol.for("loyalty-kit.internals");

/** Lets adapters find what the objects of a class keep for them. */
export function keepInternals<T extends object>(
  type: { readonly prototype: T },
  internalsOf: (object: T) => object,
): void {
  Object.defineProperty(type.prototype, INTERNALS, {
    get(this: T) {
      return internalsOf(this);
    },
  });
}

/** Returns what an object keeps for adapters; `undefined` for an object of another kind. */
export function keptInternals(object: object): unknown {
  return Reflect.get(object, INTERNALS);
}
