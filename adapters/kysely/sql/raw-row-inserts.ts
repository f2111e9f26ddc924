import type { Step } from "../../../src/concurrency/step.js";
import type { Session } from "../session/session.js";

/** A row with all of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Inserts rows from another database unchanged, with all their columns, into the named table. */
export type InsertRawRows = (session: Session, table: string, rows: readonly Row[]) => Step<void>;
