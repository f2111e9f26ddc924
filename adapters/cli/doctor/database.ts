import type { InspectedDatabase } from "../database/database.js";
import { shellWord } from "../terminal/output.js";
import { type Diagnosis, problem, warning, well } from "./diagnosis.js";

const MINUTE_MS = 60_000;

/** A clock may be so far from another one, in milliseconds, before somebody should look at it. */
const CLOCKS_APART_MS = 10_000;

/** Says of what kind a database is, and whether its tables are those of this release. @param name as messages name it. */
export function databaseDiagnoses({ kind, tables }: InspectedDatabase, name: string): Diagnosis[] {
  return [well("database", kind), tablesDiagnosis(tables, name)];
}

function tablesDiagnosis(tables: InspectedDatabase["tables"], name: string): Diagnosis {
  const migrate = `"loyalty-kit migrate --database ${shellWord(name)}"`;
  if (tables === null)
    return warning("database", `there is no database ${name} yet: serve makes it, and so does ${migrate}`);
  const { version, needed } = tables;
  if (version === 0)
    return warning(
      "database",
      `${name} has no tables of loyalty-kit yet: serve makes them, and so does ${migrate}`,
    );
  if (version > needed)
    return problem(
      "database",
      `${name} has version ${version} of the tables, and this release knows versions up to ${needed}: use the release that made it, or a later one`,
    );
  if (version < needed)
    return warning(
      "database",
      `${name} has version ${version} of the tables, and this release needs ${needed}: make a backup, end processes of the former release, then run ${migrate}`,
    );
  return well("database", `${name} has version ${version} of the tables`);
}

/** Says whether the clock goes with the newest event, and with that of the database server. */
export function clockDiagnoses({ tables, aheadMs }: InspectedDatabase, now: number): Diagnosis[] {
  const found: Diagnosis[] = [];
  const newest = tables?.newestEventAt ?? null;
  if (newest !== null && newest > now + MINUTE_MS) {
    const at = new Date(newest).toISOString();
    found.push(
      problem(
        "clock",
        `the clock says ${new Date(now).toISOString()}, and the newest event is of ${at}: set the clock, by NTP for one`,
      ),
    );
  }
  if (aheadMs !== null && Math.abs(aheadMs) > CLOCKS_APART_MS) {
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const way = aheadMs > 0 ? "ahead of" : "behind";
    found.push(
      warning("clock", `the clock of the database server is ${seconds} s ${way} this one: set both by NTP`),
    );
  }
  return found.length > 0 ? found : [well("clock", "no event is from the future")];
}
