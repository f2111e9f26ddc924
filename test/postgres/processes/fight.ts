import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { checkReceived, checkState } from "./check.js";
import { ORGANIZATION, retention } from "./organization.js";
import { runConcurrently } from "./programs.js";

export interface Fight {
  readonly seed: number;
  readonly processes: number;
  /** The number of operations of each process. */
  readonly operations: number;
}

/** The results of one process's operations. */
export interface Report {
  /** The version of the tables that the process found. */
  readonly from: number;
  /** The number of operations that succeeded. */
  done: number;
  /**
   * The number of operations that were refused for a valid reason: something is missing, already exists or is
   * over a limit.
   */
  refused: number;
  /** All other errors. Empty unless there is a bug. */
  readonly wrong: string[];
  /** The ids of the events that its listeners received, in order. */
  readonly heard: string[];
}

export interface Outcome {
  /** The number of processes that found no tables and created them. */
  readonly openers: number;
  readonly done: number;
  readonly refused: number;
  readonly events: number;
}

/**
 * Lets processes create the tables and change one organization at the same time, and compares the stored data
 * with the events.
 * @param url a place without tables.
 * @throws {AssertionError} if anything is wrong.
 */
export async function runFight(url: string, { seed, processes, operations }: Fight): Promise<Outcome> {
  const words = Array.from({ length: processes }, (_, at) => [url, `${seed}`, `${at}`, `${operations}`]);
  const reports = await runConcurrently<Report>(words);
  assert.deepEqual(
    reports.flatMap(({ wrong }) => wrong),
    [],
    "every call succeeds, or is refused with 404, 409 or 422",
  );
  const storage = await postgresStorage(url);
  const loyalty = new LoyaltyService({ storage, retention });
  try {
    const faults = await checkState(storage, loyalty.organization(ORGANIZATION));
    checkReceived(
      faults,
      reports.map(({ heard }) => heard),
    );
    const sumReports = (of: (report: Report) => number) =>
      reports.reduce((sum, report) => sum + of(report), 0);
    return {
      openers: reports.filter(({ from }) => from === 0).length,
      done: sumReports(({ done }) => done),
      refused: sumReports(({ refused }) => refused),
      events: faults.length,
    };
  } finally {
    await loyalty.close();
  }
}
