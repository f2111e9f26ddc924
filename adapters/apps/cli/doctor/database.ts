import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { MINUTE_MS } from "../../../../src/base/values/clock.js";
import type { InspectedDatabase } from "../database/database.js";
import { quoteForShell } from "../terminal/output.js";
import { type Diagnosis, ok, problem, warning } from "./diagnosis.js";

/** Maximum harmless difference between two clocks, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 10_000;

/**
 * Reports a database's type and whether its tables match this release.
 * @param name the database's name, as shown in messages.
 */
export function diagnoseDatabaseState({ kind, tables }: InspectedDatabase, name: string): Diagnosis[] {
  return [ok("database", kind), diagnoseTables(tables, name)];
}

function diagnoseTables(tables: InspectedDatabase["tables"], name: string): Diagnosis {
  const migrateCommand = `"loyalty-kit migrate --database ${quoteForShell(name)}"`;
  if (tables === null)
    return warning(
      "database",
      `database ${name} doesn't exist yet; to create it, run serve or ${migrateCommand}`,
    );
  const { version, needed } = tables;
  if (version === 0)
    return warning(
      "database",
      `${name} has no loyalty-kit tables yet; to create them, run serve or ${migrateCommand}`,
    );
  if (version > needed)
    return problem(
      "database",
      `${name} is at schema version ${version}, but this release supports only versions up to ${needed}; use a newer release`,
    );
  if (version < needed)
    return warning(
      "database",
      `${name} is at schema version ${version}, but this release needs version ${needed}; back it up, stop all processes running the previous release, then run ${migrateCommand}`,
    );
  return ok("database", `${name} is at schema version ${version}`);
}

/** Checks that this machine's clock isn't behind the newest event and that it matches the database server's clock. */
export function diagnoseClocks({ tables, clockSkewMs }: InspectedDatabase, now: number): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  const newestEventAt = tables?.newestEventAt ?? null;
  if (newestEventAt !== null && newestEventAt > now + MINUTE_MS) {
    const at = new Date(newestEventAt).toISOString();
    diagnoses.push(
      problem(
        "clock",
        `the newest event (${at}) is later than the system clock (${new Date(now).toISOString()}); synchronize the clock, for example with NTP`,
      ),
    );
  }
  if (clockSkewMs !== null && Math.abs(clockSkewMs) > MAX_CLOCK_SKEW_MS) {
    const seconds = Math.round(Math.abs(clockSkewMs) / 1_000);
    const direction = clockSkewMs > 0 ? "ahead of" : "behind";
    diagnoses.push(
      warning(
        "clock",
        `the database server's clock is ${seconds} s ${direction} this machine's clock; synchronize both clocks, for example with NTP`,
      ),
    );
  }
  return diagnoses.length > 0 ? diagnoses : [ok("clock", "no events are dated in the future")];
}

const MB = 1_000_000;

/** Minimum free disk space, in bytes. Less wouldn't last a shop for a day. */
const MIN_FREE_BYTES = 100 * MB;

/** Maximum size of the write-ahead log on an ordinary day, in bytes. */
const MAX_LOG_BYTES = 256 * MB;

/** Free space on a disk, and the sizes of the database file and its write-ahead log, in bytes. */
interface DiskUse {
  readonly freeBytes: number;
  readonly fileBytes: number;
  readonly logBytes: number;
}

/**
 * Reports how much space is left on the database's disk and how large its write-ahead log is.
 * @param file the path of the database file. `null` if the database is on a server, in which case nothing is reported.
 */
export async function diagnoseDiskSpace(file: string | null): Promise<Diagnosis[]> {
  if (file === null) return [];
  const folder = dirname(resolve(file));
  if (!existsSync(folder))
    return [problem("disk", `folder ${folder} doesn't exist; create it, or choose a different database`)];
  const { bavail, bsize } = await statfs(folder);
  return diagnoseDisk({
    freeBytes: bavail * bsize,
    fileBytes: readFileSize(file),
    logBytes: readFileSize(`${file}-wal`),
  });
}

export function diagnoseDisk({ freeBytes, fileBytes, logBytes }: DiskUse): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  if (freeBytes < MIN_FREE_BYTES)
    diagnoses.push(
      problem(
        "disk",
        `only ${formatBytes(freeBytes)} is free on the database's disk; free up space before writes start to fail`,
      ),
    );
  else if (freeBytes < fileBytes)
    diagnoses.push(
      warning(
        "disk",
        `only ${formatBytes(freeBytes)} is free on the database's disk, which isn't enough to back up the database (${formatBytes(fileBytes)})`,
      ),
    );
  if (logBytes > MAX_LOG_BYTES)
    diagnoses.push(
      warning(
        "disk",
        `the write-ahead log is ${formatBytes(logBytes)} because a program has been reading the database for a long time or was killed; the log shrinks once all programs have closed the database`,
      ),
    );
  return diagnoses.length > 0
    ? diagnoses
    : [
        ok(
          "disk",
          `the database uses ${formatBytes(fileBytes)}, and its disk has ${formatBytes(freeBytes)} free`,
        ),
      ];
}

function readFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function formatBytes(bytes: number): string {
  return `${(bytes / MB).toFixed(bytes < MB ? 1 : 0)} MB`;
}
