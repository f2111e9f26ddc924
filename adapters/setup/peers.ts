import { shareAcrossCopies } from "../../src/base/copies.js";
import { installCommand as baseInstallCommand } from "./package-manager.js";

/** An optional package: the entry point that needs it, and the arguments that install it with a package manager. */
interface Peer {
  readonly neededBy: string;
  readonly install: string;
}

/** The test mail server needs two packages, which are installed with one command. */
const fakeMailPeers = {
  neededBy: "loyalty-kit/testing",
  install: "--save-dev smtp-server@3 postal-mime@4",
};

/** The optional packages. Each one is needed only by hosts that use a certain part of this package. */
export const peers = {
  "better-sqlite3": { neededBy: "loyalty-kit/sqlite", install: "better-sqlite3" },
  pg: { neededBy: "loyalty-kit/postgres", install: "pg" },
  express: { neededBy: "loyalty-kit/http", install: "express" },
  fastify: { neededBy: "loyalty-kit/http", install: "fastify" },
  "@opentelemetry/api": { neededBy: "loyalty-kit/observability", install: "@opentelemetry/api" },
  "@resvg/resvg-wasm": { neededBy: "loyalty-kit/wallets", install: "@resvg/resvg-wasm" },
  "@simplewebauthn/server": { neededBy: "loyalty-kit/console", install: "@simplewebauthn/server@14" },
  nodemailer: { neededBy: "loyalty-kit/mail", install: "nodemailer@10" },
  "postal-mime": fakeMailPeers,
  "smtp-server": fakeMailPeers,
} as const satisfies Record<string, Peer>;

export type PeerName = keyof typeof peers;

/** Returns the command that installs an optional package with the host's package manager. */
export function installCommand(name: PeerName): string {
  return `${baseInstallCommand()} ${peers[name].install}`;
}

/**
 * Thrown when an optional package is not installed. The message contains the command to install the package, and the cause is
 * Node's error.
 */
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
 * Creates a `catch` handler for importing an optional package. If the package is missing, the handler throws an error that contains
 * the command to install it. Attach the handler directly to the `import()` expression, so that bundlers treat a missing package as
 * external instead of failing.
 * @returns the handler. It throws {@link PackageMissing} if the package is not installed, or the import's own error otherwise.
 * @example
 * const { createTransport } = await import("nodemailer").catch(throwMissing("nodemailer"));
 */
export function throwMissing(name: PeerName): (error: unknown) => never {
  return (error) => {
    throw toPackageMissing(name, error);
  };
}

/**
 * Loads an optional package synchronously.
 * @param load a function that requires the package and returns its module.
 * @throws {PackageMissing} if the package is not installed.
 * @throws any other error that `load` throws.
 */
export function requirePeer<Module>(name: PeerName, load: () => Module): Module {
  try {
    return load();
  } catch (error) {
    throw toPackageMissing(name, error);
  }
}

function toPackageMissing(name: PeerName, error: unknown): unknown {
  return isPackageMissing(name, error) ? new PackageMissing(name, error) : error;
}

/** Returns true only if the package itself is missing, not if one of its dependencies is missing or it fails to load. */
function isPackageMissing(name: PeerName, error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && new RegExp(`["'\`]${name}["'\`/]`).test(error.message);
}
