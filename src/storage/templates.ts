import type { Step } from "../base/concurrency/step.js";
import { integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

export const templateRecord = record("templates", ["id"], {
  /** The template's ID, unique within the organization. */
  id: text(),
  /** The host's own name for the template; unique within the organization. */
  key: text().nullable(),
  /** The template's name, as people see it. */
  name: text(),
  /** Whether cards from this template collect stamps (`STAMP_CARD`) or not (`LOYALTY_CARD`). It never changes. */
  type: oneOf("STAMP_CARD", "LOYALTY_CARD").fixed(),
  /** Number of stamps that fill a new card, from 1 to 100, or `null` if the template isn't a stamp card. */
  maxStamps: integer().nullable(),
  /** A description of the reward for a full card, or `null` if there is none. */
  reward: text().nullable(),
  /** The design as JSON text, stored verbatim. `null` for a template without a design. */
  design: json().nullable(),
  /** How purchases earn stamps or points, as JSON text, or `null` if they earn nothing. */
  earning: json().nullable(),
  /** When points become usable and expire, as JSON text. `null` if the template's cards have no points. */
  points: json().nullable(),
  /** The version of `earning` and `points`. It starts at 1 and grows with each change to them. */
  programVersion: integer(),
  /** When the template was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the template was last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

/** A past version of a template's program, kept for the purchases that were recorded under it. */
export const pastProgramRecord = record("pastPrograms", ["templateId", "version"], {
  /** The ID of the template. */
  templateId: text().refersTo("templates", "id"),
  /** The version number that the program had. */
  version: integer(),
  /** How purchases earned stamps or points, as JSON text, or `null` if they earned nothing. */
  earning: json().nullable(),
  /** When points became usable and expired, as JSON text, or `null` if there were no points. */
  points: json().nullable(),
});

export type StoredPastProgram = RowOf<typeof pastProgramRecord>;

export type StoredTemplate = RowOf<typeof templateRecord>;
export type TemplateType = StoredTemplate["type"];

export interface TemplateReads {
  /** Finds a template by the ID that the service assigned. Returns `null` if there is none. */
  findTemplate(id: string): Step<StoredTemplate | null>;
  /** Lists the organization's templates, sorted by `createdAt` (oldest first), then by ID. */
  listTemplates(): Step<StoredTemplate[]>;
  /** Finds a past version of a template's program. Returns `null` if there is none. */
  findPastProgram(templateId: string, version: number): Step<StoredPastProgram | null>;
  /** Returns whether any pass from the template still exists. If so, the template can't be deleted. */
  templateHasPasses(id: string): Step<boolean>;
}

/** Look-ups across all organizations. */
export interface TemplateLookUps {
  /** Returns the ID of the organization that has this template, or `null` if there is no such organization or more than one. */
  organizationOfTemplate(templateId: string): Step<string | null>;
}

export interface TemplateWrites {
  /** Adds a template. Its ID must be unused. */
  insertTemplate(template: StoredTemplate): Step<void>;
  /**
   * Replaces the stored template with the same ID, but keeps its `type` and `createdAt`. Returns `false` if there is no such
   * template.
   */
  updateTemplate(template: StoredTemplate): Step<boolean>;
  /** Adds a past version of a template's program. */
  insertPastProgram(program: StoredPastProgram): Step<void>;
  /**
   * Removes a template that has no passes, and its past programs. Returns `false` if there is no such template.
   * @throws an error if the template has passes. In that case, nothing is removed.
   */
  deleteTemplate(id: string): Step<boolean>;
}
