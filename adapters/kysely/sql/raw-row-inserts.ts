import type { Step } from "../../../src/concurrency/step.js";
import type { Session } from "../session/session.js";

/** A row with all of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Adds rows of another database as they are, with all of their columns, to the table of this name. */
export type InsertRawRows = (session: Session, table: string, rows: readonly Row[]) => Step<void>;
