import { CompiledQuery } from "kysely";

/** Tells the newest version of the tables. */
export const tablesVersion: CompiledQuery<{ readonly version: number | null }> = CompiledQuery.raw(
  "select max(version) as version from loyalty_migrations",
);
