import { installCommand as commandOfManager } from "./package-manager.js";

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
  return `${commandOfManager()} ${peers[name].install}`;
}
