import { MINUTE_MS } from "../../../../src/base/values/clock.js";
import type { InspectedDatabase } from "../database/database.js";
import { shellWord } from "../terminal/output.js";
import { type Diagnosis, ok, problem, warning } from "./diagnosis.js";

/** Maximum harmless difference between two clocks, in milliseconds. */
const CLOCKS_APART_MS = 10_000;

/**
 * Reports a database's type and whether its tables match this release.
 * @param name the database's name, as shown in messages.
 */
export function databaseDiagnoses({ kind, tables }: InspectedDatabase, name: string): Diagnosis[] {
  return [ok("database", kind), diagnoseTables(tables, name)];
}

function diagnoseTables(tables: InspectedDatabase["tables"], name: string): Diagnosis {
  const migrate = `"loyalty-kit migrate --database ${shellWord(name)}"`;
  if (tables === null)
    return warning("database", `database ${name} doesn't exist yet; to create it, run serve or ${migrate}`);
  const { version, needed } = tables;
  if (version === 0)
    return warning(
      "database",
      `${name} has no loyalty-kit tables yet; to create them, run serve or ${migrate}`,
    );
  if (version > needed)
    return problem(
      "database",
      `${name} is at schema version ${version}, but this release supports only versions up to ${needed}; use a newer release`,
    );
  if (version < needed)
    return warning(
      "database",
      `${name} is at schema version ${version}, but this release needs version ${needed}; back it up, stop all processes running the previous release, then run ${migrate}`,
    );
  return ok("database", `${name} is at schema version ${version}`);
}

/** Checks that this machine's clock isn't behind the newest event and that it matches the database server's clock. */
export function clockDiagnoses({ tables, aheadMs }: InspectedDatabase, now: number): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  const newest = tables?.newestEventAt ?? null;
  if (newest !== null && newest > now + MINUTE_MS) {
    const at = new Date(newest).toISOString();
    diagnoses.push(
      problem(
        "clock",
        `the newest event (${at}) is later than the system clock (${new Date(now).toISOString()}); synchronize the clock, for example with NTP`,
      ),
    );
  }
  if (aheadMs !== null && Math.abs(aheadMs) > CLOCKS_APART_MS) {
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const direction = aheadMs > 0 ? "ahead of" : "behind";
    diagnoses.push(
      warning(
        "clock",
        `the database server's clock is ${seconds} s ${direction} this machine's clock; synchronize both clocks, for example with NTP`,
      ),
    );
  }
  return diagnoses.length > 0 ? diagnoses : [ok("clock", "no events are dated in the future")];
}
