import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The part of the tests on several databases that this run includes. */
    readonly runsOn: "memory and SQLite" | "Postgres" | "all";
  }
}

/**
 * Whether this run tests a database of this name. A statement on a server takes many times as long as one in this
 * process, so `npm test` leaves Postgres to `npm run test:postgres`.
 */
export function isInThisRun(name: string): boolean {
  const runsOn = inject("runsOn");
  return runsOn === "all" || /postgres/i.test(name) === (runsOn === "Postgres");
}

/** Filters databases, listed by name, to those that this run tests. */
export function openForRun<Database>(
  byName: Readonly<Record<string, Database>>,
): Readonly<Record<string, Database>> {
  return Object.fromEntries(Object.entries(byName).filter(([name]) => isInThisRun(name)));
}
