import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { checkHeard, checkState } from "./check.js";
import { ORGANIZATION, retention } from "./organization.js";
import { runConcurrently } from "./programs.js";

export interface Fight {
  readonly seed: number;
  readonly processes: number;
  /** Of each process. */
  readonly operations: number;
}

/** What came of the operations of one process. */
export interface Report {
  /** The version of the tables that it found. */
  readonly from: number;
  /** How many operations were answered. */
  done: number;
  /** How many were refused as they may be: something is missing, taken or too much. */
  refused: number;
  /** What else went wrong; empty unless there is a fault. */
  readonly wrong: string[];
  /** The ids of the events that its listeners were told, in that order. */
  readonly heard: string[];
}

export interface Outcome {
  /** How many processes found no tables, and made them. */
  readonly openers: number;
  readonly done: number;
  readonly refused: number;
  readonly events: number;
}

/**
 * Lets processes make the tables and change one organization at the same time, and holds what is there against what was
 * told.
 * @param url of a place without tables.
 * @throws {AssertionError} when anything is wrong with it.
 */
export async function runFight(url: string, { seed, processes, operations }: Fight): Promise<Outcome> {
  const words = Array.from({ length: processes }, (_, at) => [url, `${seed}`, `${at}`, `${operations}`]);
  const reports = await runConcurrently<Report>(words);
  assert.deepEqual(
    reports.flatMap(({ wrong }) => wrong),
    [],
    "callers are answered, or refused for what they asked",
  );
  const storage = await postgresStorage(url);
  const loyalty = new LoyaltyService({ storage, retention });
  try {
    const faults = await checkState(storage, loyalty.organization(ORGANIZATION));
    checkHeard(
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
