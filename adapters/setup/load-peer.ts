import { shareAcrossCopies } from "../../src/copies.js";
import { installCommand, type PeerName, peers } from "./peers.js";

/** An optional package is not installed. The message names the command that installs it, and the cause is Node's own error. */
export class PackageMissing extends Error {
  static {
    shareAcrossCopies(PackageMissing, "PackageMissing");
  }

  override readonly name = "PackageMissing";

  constructor(peer: PeerName, cause: unknown) {
    super(`${peers[peer].neededBy} needs ${peer}: ${installCommand(peer)}`, { cause });
  }
}

/**
 * Says how to install an optional package whose import has failed. The import is written out with this as its `catch`:
 * bundlers then leave the package outside where it is not installed, and don't fail.
 *
 * @example
 * const { createTransport } = await import("nodemailer").catch(throwMissing("nodemailer"));
 *
 * @throws {PackageMissing} if the package is not installed; else the error of the import.
 */
export function throwMissing(name: PeerName): (error: unknown) => never {
  return (error) => {
    throw toPackageMissing(name, error);
  };
}

/**
 * Loads an optional package synchronously.
 * @throws as {@link throwMissing}.
 */
export function requirePeer<Module>(name: PeerName, load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    throw toPackageMissing(name, error);
  }
}

function toPackageMissing(name: PeerName, error: unknown): unknown {
  return isAbsence(name, error) ? new PackageMissing(name, error) : error;
}

/** True when the package itself is not there, and false for what it needs and for what fails in it. */
function isAbsence(name: PeerName, error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && new RegExp(`["'\`]${name}["'\`/]`).test(error.message);
}
