import { createHmac, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { backgroundTimer, PollLoop } from "../../../delivery/jobs/timers.js";
import { getSqlAccess } from "../../../storage/kysely/copying/sql-access.js";
import { type RegisteredServer, registerServer, unregisterServer } from "../../../storage/kysely/servers.js";

/**
 * How often a process records that it is serving, in milliseconds. A process that hasn't done so for three times as long counts as
 * ended.
 */
const REGISTRATION_INTERVAL_MS = 60_000;
const REGISTRATION_EXPIRY_MS = 3 * REGISTRATION_INTERVAL_MS;

/** Number of bytes of a key's HMAC to store: enough to tell two keys apart, and too few to reconstruct a key. */
const FINGERPRINT_BYTES = 4;

/**
 * Warns if another process serves the same database with a different key. Such processes reject each other's sessions and forms.
 * Each process records a fingerprint of its key in the database and compares it with the fingerprints of the other processes.
 */
export class KeyWatch {
  readonly #id: string;
  readonly #now: () => number;
  readonly #fingerprint: string;
  readonly #warnedIds = new Set<string>();
  #checkCount = 0;
  #loop: PollLoop | null = null;

  /**
   * @param key the shared key, or `undefined` if this process generated its own key.
   * @param log a function that is called with a warning for each process that has a different key.
   */
  constructor(
    private readonly storage: StorageAdapter,
    private readonly key: string | undefined,
    private readonly log: (line: string) => void,
    { id = `${hostname()}:${process.pid}`, now = Date.now } = {},
  ) {
    this.#id = id;
    this.#now = now;
    this.#fingerprint = createHmac("sha256", key ?? randomBytes(32))
      .update("loyalty-kit LOYALTY_OAUTH_KEY")
      .digest("hex")
      .slice(0, 2 * FINGERPRINT_BYTES);
  }

  /**
   * Checks immediately, and then periodically until the watch is closed.
   * @param onError a callback for any error that a check throws.
   */
  start(onError: (error: unknown) => void): void {
    this.#loop = new PollLoop(() => this.check().catch(onError), {
      pollMs: REGISTRATION_INTERVAL_MS,
      after: backgroundTimer,
    });
    this.#loop.start();
  }

  /**
   * Records this process in the database and warns once about each process that has a different key.
   * @throws any storage error.
   */
  async check(): Promise<void> {
    const now = this.#now();
    const own = { id: this.#id, keyPrint: this.#fingerprint, seenAt: now };
    const servers = await registerServer(getSqlAccess(this.storage), own, now - REGISTRATION_EXPIRY_MS);
    this.#checkCount += 1;
    for (const { id, keyPrint } of servers) {
      if (keyPrint === this.#fingerprint || this.#warnedIds.has(id) || !this.#isAlive(id)) continue;
      this.#warnedIds.add(id);
      this.log(formatKeyWarning(id, this.key !== undefined));
    }
    const ids = new Set(servers.map(({ id }: RegisteredServer) => id));
    for (const id of this.#warnedIds) if (!ids.has(id)) this.#warnedIds.delete(id);
  }

  /**
   * Stops checking and removes this process's record from the database.
   * @throws any storage error.
   */
  async close(): Promise<void> {
    await this.#loop?.stop();
    if (this.#checkCount > 0) await unregisterServer(getSqlAccess(this.storage), this.#id);
  }

  /**
   * Returns whether the recorded process is alive. After the first check, a record with this process's ID but a different key means
   * that another process uses the same ID, which can happen because containers may share host names.
   */
  #isAlive(id: string): boolean {
    if (id === this.#id) return this.#checkCount > 1;
    const separatorIndex = id.lastIndexOf(":");
    return id.slice(0, separatorIndex) !== hostname() || isRunning(Number(id.slice(separatorIndex + 1)));
  }
}

function formatKeyWarning(id: string, hasKey: boolean): string {
  const difference = hasKey
    ? "a different LOYALTY_OAUTH_KEY"
    : "a LOYALTY_OAUTH_KEY that this process doesn't have";
  return (
    `loyalty-kit: process ${id} uses the same database with ${difference}, so users may have to sign in repeatedly; ` +
    "set the same key in all processes"
  );
}

/** Returns false if the process ended without removing its record. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
