import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Diagnosis, ok, problem, warning } from "./diagnosis.js";

const MB = 1_000_000;

/** Minimum free disk space, in bytes. Less wouldn't last a shop for a day. */
const LEAST_FREE = 100 * MB;

/** Maximum size of the write-ahead log on an ordinary day, in bytes. */
const LARGE_LOG = 256 * MB;

/** Free space on a disk, and the sizes of the database file and its write-ahead log, in bytes. */
export interface DiskUse {
  readonly free: number;
  readonly file: number;
  readonly log: number;
}

/**
 * Reports how much space is left on the database's disk and how large its write-ahead log is.
 * @param file the path of the database file. `null` if the database is on a server, in which case nothing is reported.
 */
export async function diskDiagnoses(file: string | null): Promise<Diagnosis[]> {
  if (file === null) return [];
  const folder = dirname(resolve(file));
  if (!existsSync(folder))
    return [problem("disk", `folder ${folder} doesn't exist; create it, or choose a different database`)];
  const { bavail, bsize } = await statfs(folder);
  return diagnoseDisk({ free: bavail * bsize, file: readFileSize(file), log: readFileSize(`${file}-wal`) });
}

export function diagnoseDisk({ free, file, log }: DiskUse): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  if (free < LEAST_FREE)
    diagnoses.push(
      problem(
        "disk",
        `only ${formatBytes(free)} is free on the database's disk; free up space before writes start to fail`,
      ),
    );
  else if (free < file)
    diagnoses.push(
      warning(
        "disk",
        `only ${formatBytes(free)} is free on the database's disk, which isn't enough to back up the database (${formatBytes(file)})`,
      ),
    );
  if (log > LARGE_LOG)
    diagnoses.push(
      warning(
        "disk",
        `the write-ahead log is ${formatBytes(log)} because a program has been reading the database for a long time or was killed; the log shrinks once all programs have closed the database`,
      ),
    );
  return diagnoses.length > 0
    ? diagnoses
    : [ok("disk", `the database uses ${formatBytes(file)}, and its disk has ${formatBytes(free)} free`)];
}

function readFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function formatBytes(bytes: number): string {
  return `${(bytes / MB).toFixed(bytes < MB ? 1 : 0)} MB`;
}
