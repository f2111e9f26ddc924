import { version } from "../../package.json";

/*
 * A process may load several copies of the package: bundlers create one for each entry point, and package managers install one for
 * each version of a peer dependency. The copies recognize each other by symbols in the process-wide registry.
 */

const VERSION = Symbol.for("loyalty-kit.version");

/**
 * The key of the property that holds an object's internals, which this package's adapters need. The key is a symbol so that
 * editors don't suggest the property to hosts.
 */
export const INTERNALS = Symbol.for("loyalty-kit.internals");

/**
 * Makes `instanceof` accept instances of the class with the given name from every copy of the package in the process. For
 * subclasses, `instanceof` works as usual.
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
  // Bundlers may rename compiled classes, and Node.js would print that name in errors.
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

/**
 * Tags an object with the package version that created it, so that an entry point from another version can reject it.
 * @returns the object.
 */
export function markVersion<T extends object>(instance: T): T {
  // Configurable, so that a proxy may hide it.
  Object.defineProperty(instance, VERSION, { value: version, configurable: true });
  return instance;
}

/**
 * Rejects an object that another version of the package created, because its internals would be incompatible. Accepts objects
 * without a version tag, because hosts can write their own storage adapters.
 * @throws {TypeError} if the versions differ. The message names both versions.
 */
export function assertSameVersion(instance: object, name: string): void {
  const otherVersion: unknown = Reflect.get(instance, VERSION);
  if (otherVersion === undefined || otherVersion === version) return;
  throw new TypeError(
    `This ${name} comes from loyalty-kit ${String(otherVersion)}, but is used by loyalty-kit ${version}. ` +
      'Install one version only: "npm ls loyalty-kit" shows which package needs which version.',
  );
}
