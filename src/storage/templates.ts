import type { Step } from "../concurrency/step.js";
import { integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

export const templateRecord = record("templates", ["id"], {
  id: text(),
  /** The template's name in the host; unique in the organization. */
  key: text().nullable(),
  name: text(),
  type: oneOf("STAMP_CARD", "LOYALTY_CARD").fixed(),
  maxStamps: integer().nullable(),
  reward: text().nullable(),
  /** JSON text, stored verbatim; `null` for a template without a design. */
  design: json().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredTemplate = RowOf<typeof templateRecord>;
export type TemplateType = StoredTemplate["type"];

export interface TemplateReads {
  findTemplate(organizationId: string, id: string): Step<StoredTemplate | null>;
  /** Searches all organizations for this template. Returns `null` if none has it, or more than one. */
  organizationOfTemplate(templateId: string): Step<string | null>;
  /** Lists templates, oldest first: by `createdAt`, then id. */
  listTemplates(organizationId: string): Step<StoredTemplate[]>;
  templateHasPasses(organizationId: string, id: string): Step<boolean>;
}

export interface TemplateWrites {
  insertTemplate(organizationId: string, template: StoredTemplate): Step<void>;
  /** Replaces the template with this id, except `type` and `createdAt`. Returns false if there is none. */
  updateTemplate(organizationId: string, template: StoredTemplate): Step<boolean>;
  /**
   * Removes a template without passes. Returns false if there is none.
   * @throws if the template has passes; it is not removed then.
   */
  deleteTemplate(organizationId: string, id: string): Step<boolean>;
}
