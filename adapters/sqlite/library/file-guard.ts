import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { removedLogError, secondLibraryError } from "./library-errors.js";
import { countLibraries } from "./open-libraries.js";

/** Wait this many times as long as a check took before the next one. */
const PAUSE_FACTOR = 1_000;

/** The longest pause, in milliseconds: a check looks long if the process had to wait for a processor. */
const MAX_PAUSE_MS = 5_000;

/** How long a log that had the latest commit isn't checked again, in milliseconds. */
const FRESH_MS = 1;

/** How Linux ends the name of an open file that is removed. */
const REMOVED = " (deleted)";

/**
 * Makes sure that only this SQLite library has the file open in its process. With two, each releases the locks of both when it
 * closes the file, and removes the log that the other is still writing. When that happens, nothing is written anymore, because only
 * a new process can be sure of its locks.
 */
export class FileGuard {
  readonly #log: number;
  #due = 0;
  /** When the log was last seen to be there. */
  #seen = Number.NEGATIVE_INFINITY;
  #reason: Error | null = null;

  /** @param file the absolute path of a database whose write-ahead log is there. */
  constructor(private readonly file: string) {
    // SQLite has no locks on the log, so to close it releases none.
    this.#log = openSync(`${file}-wal`, "r");
  }

  /**
   * The caller calls it before it writes. It checks for another library once in a while, in a thousandth of the time unless
   * a check takes more than 5 ms.
   * @throws {TypeError} if there is one, or has been.
   */
  assertAlone(): void {
    if (this.#reason !== null) throw this.#reason;
    const asked = performance.now();
    if (asked - this.#seen >= FRESH_MS) this.assertLogged();
    if (asked < this.#due) return;
    this.check();
    const end = performance.now();
    this.#due = end + Math.min(PAUSE_FACTOR * (end - asked), MAX_PAUSE_MS);
  }

  /** Checks now for another library. @returns false where that can't be known. @throws as {@link assertAlone}. */
  check(): boolean {
    const libraries = countLibraries(this.file);
    if (libraries !== null && libraries > 1) this.#refuse(secondLibraryError());
    return libraries !== null;
  }

  /** Checks after a commit that it is in the log that others read. @throws {TypeError} if that log has been removed. */
  assertLogged(): void {
    if (isRemoved(this.#log)) this.#refuse(removedLogError());
    this.#seen = performance.now();
  }

  get hasRefused(): boolean {
    return this.#reason !== null;
  }

  close(): void {
    closeSync(this.#log);
  }

  #refuse(reason: Error): never {
    this.#reason = reason;
    throw reason;
  }
}

/**
 * Linux is asked for the file's name, not for its state: after a look at the time of its last change the next commit
 * has to write that time to the disk, too, which made a commit take a third longer.
 */
function isRemoved(descriptor: number): boolean {
  const name = process.platform === "linux" ? readDescriptorName(descriptor) : null;
  if (name?.endsWith(REMOVED) === false) return false;
  return fstatSync(descriptor).nlink === 0;
}

/** @returns null where that can't be known. */
function readDescriptorName(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}
