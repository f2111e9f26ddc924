import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Which part of the tests on several databases this run has. */
    readonly runsOn: "memory and SQLite" | "Postgres" | "all";
  }
}

/**
 * Whether this run tests on a database of this name. A statement on a server takes many times as long as one in this
 * process, so `npm test` leaves Postgres to `npm run test:postgres`.
 */
export function isInThisRun(name: string): boolean {
  const runsOn = inject("runsOn");
  return runsOn === "all" || /postgres/i.test(name) === (runsOn === "Postgres");
}

/** The databases of a table by their names that this run tests on. */
export function openForRun<Database>(
  byName: Readonly<Record<string, Database>>,
): Readonly<Record<string, Database>> {
  return Object.fromEntries(Object.entries(byName).filter(([name]) => isInThisRun(name)));
}
