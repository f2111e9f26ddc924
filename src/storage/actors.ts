import type { Step } from "../concurrency/step.js";
import { json, text, type ValuesOf } from "./record.js";

/** The columns that identify a change's actor. */
export const actorColumns = {
  /** JSON text, stored verbatim; `null` for {@link HOST_ACTOR}, which is the host's own code without further details. */
  actor: json().nullable().personal(),
  /** The host's id for the actor. It may identify a person, so it is stored separately; `null` if unknown. */
  subject: text().nullable().personal(),
};

export type StoredActor = ValuesOf<typeof actorColumns>;

/** Row filters treat a `null` actor as this value. */
export const HOST_ACTOR = '{"kind":"library"}';

/** Selects rows by actor. */
export interface ActorFilter {
  /** Up to four strings that must all occur verbatim in the actor. */
  readonly parts: readonly string[];
  /** `null` matches any subject, including none. */
  readonly subject: string | null;
}

/** The tables whose rows have a subject. */
export const subjectColumns = ["events", "stampEntries", "audit", "grants", "tagRemovals"] as const;

export type SubjectColumn = (typeof subjectColumns)[number];

export interface ActorReads {
  /**
   * Returns the distinct subjects of all rows of a kind, at most `limit`: the subjects after `after`, in an order that the storage
   * chooses and never changes. The empty string comes before all subjects.
   */
  listSubjects(organizationId: string, place: SubjectColumn, after: string, limit: number): Step<string[]>;
}

export interface ActorWrites {
  /**
   * Removes these subjects from all events, stamp entries, audit entries and tag removals; the rows stay. Grants with these
   * subjects are removed. Data that deliveries of those events store separately is cleared, as in `replaceEventData`.
   */
  redactSubjects(organizationId: string, subjects: readonly string[]): Step<void>;
}
