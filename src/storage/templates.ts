import type { Step } from "../base/concurrency/step.js";
import { integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

export const templateRecord = record("templates", ["id"], {
  id: text(),
  /** The host's own name for the template; unique within the organization. */
  key: text().nullable(),
  name: text(),
  type: oneOf("STAMP_CARD", "LOYALTY_CARD").fixed(),
  maxStamps: integer().nullable(),
  reward: text().nullable(),
  /** The design as JSON text, stored verbatim. `null` for a template without a design. */
  design: json().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredTemplate = RowOf<typeof templateRecord>;
export type TemplateType = StoredTemplate["type"];

export interface TemplateReads {
  /** Finds a template by its id. */
  findTemplate(organizationId: string, id: string): Step<StoredTemplate | null>;
  /** Returns the ID of the only organization that has this template, or `null` if none or several do. */
  organizationOfTemplate(templateId: string): Step<string | null>;
  /** Lists templates, sorted by `createdAt` (oldest first), then by ID. */
  listTemplates(organizationId: string): Step<StoredTemplate[]>;
  /** Returns whether a template has passes. */
  templateHasPasses(organizationId: string, id: string): Step<boolean>;
}

export interface TemplateWrites {
  insertTemplate(organizationId: string, template: StoredTemplate): Step<void>;
  /** Replaces the template with this ID, except `type` and `createdAt`. Returns `false` if there is no such template. */
  updateTemplate(organizationId: string, template: StoredTemplate): Step<boolean>;
  /**
   * Removes a template that has no passes. Returns `false` if there is no such template.
   * @throws an error if the template has passes. In that case, nothing is removed.
   */
  deleteTemplate(organizationId: string, id: string): Step<boolean>;
}
