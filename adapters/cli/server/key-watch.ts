import { createHmac, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { PollLoop } from "../../jobs/poll-loop.js";
import { backgroundTimer } from "../../jobs/timers.js";
import { getSqlAccess } from "../../kysely/copying/sql-access.js";
import { type RegisteredServer, registerServer, unregisterServer } from "../../kysely/servers.js";

/** How often a process records that it is serving; it counts as ended if it has not for longer. */
const NOTE_EVERY_MS = 60_000;
const FORGOTTEN_MS = 3 * NOTE_EVERY_MS;

/** Enough bytes of a key's HMAC to tell two keys apart, and too few to find one by. */
const PRINT_BYTES = 4;

/**
 * Reports another process that serves the same database with another key, because neither accepts the sessions and forms of the
 * other. Each process records a fingerprint of its key in the database, and compares it with the others.
 */
export class KeyWatch {
  readonly #id: string;
  readonly #now: () => number;
  readonly #print: string;
  readonly #told = new Set<string>();
  #looks = 0;
  #loop: PollLoop | null = null;

  /** @param key `undefined` for one of its own, which no other process can have. @param tell gets a line for each process. */
  constructor(
    private readonly storage: StorageAdapter,
    private readonly key: string | undefined,
    private readonly tell: (line: string) => void,
    { id = `${hostname()}:${process.pid}`, now = Date.now } = {},
  ) {
    this.#id = id;
    this.#now = now;
    this.#print = createHmac("sha256", key ?? randomBytes(32))
      .update("loyalty-kit LOYALTY_OAUTH_KEY")
      .digest("hex")
      .slice(0, 2 * PRINT_BYTES);
  }

  /** Checks now and periodically until it is closed. @param onError receives failures. */
  start(onError: (error: unknown) => void): void {
    this.#loop = new PollLoop(() => this.check().catch(onError), {
      pollMs: NOTE_EVERY_MS,
      after: backgroundTimer,
    });
    this.#loop.start();
  }

  /** Records this process, and reports each other one with another key, once. @throws as storage. */
  async check(): Promise<void> {
    const now = this.#now();
    const own = { id: this.#id, keyPrint: this.#print, seenAt: now };
    const noted = await registerServer(getSqlAccess(this.storage), own, now - FORGOTTEN_MS);
    this.#looks += 1;
    for (const { id, keyPrint } of noted) {
      if (keyPrint === this.#print || this.#told.has(id) || !this.#isAlive(id)) continue;
      this.#told.add(id);
      this.tell(formatKeyWarning(id, this.key !== undefined));
    }
    const ids = new Set(noted.map(({ id }: RegisteredServer) => id));
    for (const id of this.#told) if (!ids.has(id)) this.#told.delete(id);
  }

  /** Ends it: the process is forgotten. @throws as storage. */
  async close(): Promise<void> {
    await this.#loop?.stop();
    if (this.#looks > 0) await unregisterServer(getSqlAccess(this.storage), this.#id);
  }

  /** Another process has this one's name when the note is not what this one wrote: containers may share a name. */
  #isAlive(id: string): boolean {
    if (id === this.#id) return this.#looks > 1;
    const at = id.lastIndexOf(":");
    return id.slice(0, at) !== hostname() || isRunning(Number(id.slice(at + 1)));
  }
}

function formatKeyWarning(id: string, hasKey: boolean): string {
  const here = hasKey ? "another LOYALTY_OAUTH_KEY" : "another LOYALTY_OAUTH_KEY, since this one has none";
  return (
    `loyalty-kit: process ${id} serves the same database with ${here}: browsers that reach both have to sign in ` +
    "again and again. Use the same key in all processes"
  );
}

/** One that ended without a word. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
