import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Session } from "../session/session.js";

/** A row with all of its columns, as stored. */
export type Row = Readonly<Record<string, unknown>>;

/** Inserts rows copied from another database into the named table, without changing any of their columns. */
export type InsertRawRows = (session: Session, table: string, rows: readonly Row[]) => Step<void>;
