import { shareAcrossCopies } from "../../src/copies.js";
import { installing, type PeerName, peers } from "./peers.js";

/** An optional package is not installed. The message names the command that installs it, and the cause is Node's own error. */
export class PackageMissing extends Error {
  static {
    shareAcrossCopies(PackageMissing, "PackageMissing");
  }

  override readonly name = "PackageMissing";

  constructor(peer: PeerName, cause: unknown) {
    super(`${peers[peer].neededBy} needs ${peer}: ${installing(peer)}`, { cause });
  }
}

/**
 * Loads an optional package.
 * @param load imports it by its name as a literal, which bundlers find.
 * @throws {PackageMissing} when it is not installed; what else it throws while it loads.
 */
export async function peer<Module>(name: PeerName, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw refused(name, error);
  }
}

/** Loads an optional package at once, as {@link peer} does. */
export function peerAtOnce<Module>(name: PeerName, load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    throw refused(name, error);
  }
}

function refused(name: PeerName, error: unknown): unknown {
  return isAbsence(name, error) ? new PackageMissing(name, error) : error;
}

/** True when the package itself is not there, and false for what it needs and for what fails in it. */
function isAbsence(name: PeerName, error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && new RegExp(`["'\`]${name}["'\`/]`).test(error.message);
}
