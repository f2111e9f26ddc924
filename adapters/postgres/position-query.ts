import { sql } from "kysely";
import { postgresDialect } from "./dialect.js";

/** How far a server has come: with following the primary, or as one that writes itself. */
export const positionQuery = sql<{ position: string | null }>`
  select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end)::text
  as position`.compile(postgresDialect().db);
