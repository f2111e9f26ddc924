import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Session } from "../session/session.js";

/** A complete row with the table's stored values. */
export type Row = Readonly<Record<string, unknown>>;

/** Inserts rows copied from another database into the named table, keeping all column values unchanged. */
export type InsertRawRows = (session: Session, table: string, rows: readonly Row[]) => Step<void>;
