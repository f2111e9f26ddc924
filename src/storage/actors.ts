import type { Step } from "../concurrency/step.js";
import { json, text, type ValuesOf } from "./record.js";

/** The columns that name who made a change. */
export const actorColumns = {
  /** JSON text, kept to the letter; `null` for {@link HOST_ACTOR}, the host's own code that says nothing of itself. */
  actor: json().nullable().personal(),
  /** The actor's id at the host, which may name a person, and so is kept apart; `null` if unknown. */
  subject: text().nullable().personal(),
};

export type StoredActor = ValuesOf<typeof actorColumns>;

/** Filters of rows take an actor of `null` as this one. */
export const HOST_ACTOR = '{"kind":"library"}';

/** Selects rows by the actor who made them. */
export interface ActorFilter {
  /** Up to four texts that the actor has in it to the letter. */
  readonly parts: readonly string[];
  /** `null` for any, and for none. */
  readonly subject: string | null;
}

/** The rows that have a subject. */
export const subjectColumns = ["events", "stampEntries", "audit", "grants", "tagRemovals"] as const;

export type SubjectColumn = (typeof subjectColumns)[number];

export interface ActorReads {
  /**
   * The different subjects of all rows of a kind, at most `limit`: those behind `after`, in an order of the storage's own that
   * always stays the same. The empty text is before all.
   */
  listSubjects(organizationId: string, place: SubjectColumn, after: string, limit: number): Step<string[]>;
}

export interface ActorWrites {
  /**
   * Takes these subjects from all events, stamp entries, audit entries and removals of tags; the rows stay. Grants of these subjects end. What
   * the deliveries of those events keep beside them goes, as with `replaceEventData`.
   */
  redactSubjects(organizationId: string, subjects: readonly string[]): Step<void>;
}
