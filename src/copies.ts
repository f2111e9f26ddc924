import { version } from "../package.json";

/*
 * A process may load several copies of the package: bundlers make one for each entry, and package managers install one
 * for each version of a peer. The copies recognize each other by symbols that the whole process shares.
 */

const VERSION = Symbol.for("loyalty-kit.version");

/** An object keeps by this what adapters of the package need of it. It is no name, so editors don't complete it for hosts. */
export const INTERNALS = Symbol.for("loyalty-kit.internals");

/**
 * Makes `instanceof` true for the instances of every copy's class of this name. Subclasses keep the usual meaning.
 *
 * @example
 * class StorageConflict extends Error {
 *   static {
 *     shareAcrossCopies(this, "StorageConflict");
 *   }
 * }
 */
export function shareAcrossCopies(
  type: { readonly prototype: object; [Symbol.hasInstance](value: unknown): boolean },
  name: string,
): void {
  // Compiled classes may get another name, which Node.js would print for an error.
  Object.defineProperty(type, "name", { value: name });
  const brand = Symbol.for(`loyalty-kit.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === type) return typeof value === "object" && value !== null && brand in value;
      return Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}

/** Marks an object that hosts hand from one entry point to another with the version that made it. Returns the object. */
export function markVersion<T extends object>(made: T): T {
  // Configurable, since a proxy may hide it.
  Object.defineProperty(made, VERSION, { value: version, configurable: true });
  return made;
}

/**
 * Refuses an object that another version of the package made: its parts would not fit. Objects without a mark pass,
 * since hosts write their own storages.
 * @throws {TypeError} naming both versions.
 */
export function refuseOtherVersion(made: object, name: string): void {
  const other: unknown = Reflect.get(made, VERSION);
  if (other === undefined || other === version) return;
  throw new TypeError(
    `This ${name} comes from loyalty-kit ${String(other)}, but is used by loyalty-kit ${version}. ` +
      'Install one version only: "npm ls loyalty-kit" shows who needs which.',
  );
}
