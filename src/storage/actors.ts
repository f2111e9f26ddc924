import type { Step } from "../base/concurrency/step.js";
import { json, text, type ValuesOf } from "./record.js";

/** Columns that identify the actor behind a change. */
export const actorColumns = {
  /** JSON text, stored verbatim. `null` for {@link HOST_ACTOR}, which means the host's own code without further details. */
  actor: json().nullable(),
  /** The host's ID for the actor. It may identify a person, so it is stored separately. `null` if unknown. */
  subject: text().nullable(),
};

export type StoredActor = ValuesOf<typeof actorColumns>;

/** The JSON string that a `null` in the `actor` column stands for. Actor filters treat `null` as this string. */
export const HOST_ACTOR = '{"kind":"library"}';

/** Selects rows by their stored actor. A row must match both `parts` and `subject`. */
export interface ActorFilter {
  /** Up to four strings that must all occur verbatim in the stored actor. */
  readonly parts: readonly string[];
  /** The exact subject to match, or `null` to match every row, including rows without a subject. */
  readonly subject: string | null;
}

/**
 * The tables that have a `subject` column. When a customer is erased, the subjects that identify the customer are removed from
 * these tables.
 */
export const subjectColumns = [
  "events",
  "stampEntries",
  "pointEntries",
  "audit",
  "grants",
  "tagRemovals",
] as const;

export type SubjectColumn = (typeof subjectColumns)[number];

export interface ActorReads {
  /**
   * Lists up to `limit` distinct subjects from one table, starting after `after`. The sort order is up to the storage adapter, but
   * must never change. Pass the empty string to start from the beginning.
   */
  listSubjects(column: SubjectColumn, after: string, limit: number): Step<string[]>;
}

export interface ActorWrites {
  /**
   * Removes these subjects from all events, stamp entries, point entries, audit entries, and tag removals, without deleting the
   * rows. Deletes grants that have these subjects. For deliveries of the affected events, also clears the copies of event data, as
   * `replaceEventData` does.
   */
  redactSubjects(subjects: readonly string[]): Step<void>;
}
