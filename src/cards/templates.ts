import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, validationFailed } from "../base/errors.js";
import { parse, parseNew, withField } from "../base/parse.js";
import { findTemplate } from "../kernel/find.js";
import { type IdempotencyOptions, markNew } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { applyPatch } from "../kernel/patch.js";
import type { Change } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { ReadDesign } from "./design-schema.js";
import { decodeDesign, storeDesignPictures } from "./pictures.js";
import { findProgramErrors, type Program, parseProgram } from "./program-schema.js";
import {
  type CreateTemplate,
  createTemplateSchema,
  type EnsureTemplate,
  ensureTemplateSchema,
  MAX_STAMPS_NOT_ALLOWED,
  type Template,
  templateOf,
  type UpdateTemplate,
  updateTemplateSchema,
} from "./schema.js";

/** Manages templates. A template determines the type and design of the passes issued from it. */
export class Templates extends UseCases {
  /**
   * Creates a template.
   * @throws {LoyaltyError} `validation_failed`, `template_already_exists` if another template has the key, `too_many_pictures`,
   *   `storage_unavailable` if too many of the organization's pictures are waiting to be decoded, or `access_denied` if the caller
   *   lacks `template:create`.
   */
  async create(input: CreateTemplate & IdempotencyOptions): Promise<Template> {
    const { tenant } = this;
    const { design: designInput, ...fields } = parseNew(createTemplateSchema, input);
    const prepareDesign = () => decodeDesign(tenant, designInput);
    return tenant.changeAfter(prepareDesign, ["templates.create", input], function* (design, change) {
      const { tx } = change;
      if (fields.key !== null) yield* assertKeyIsFree(tx, fields.key);
      return yield* insertTemplate(change, fields, design);
    });
  }

  /**
   * Returns the template with the given key, or creates it if there is none. An existing template isn't changed. Concurrent calls
   * create only one template, so a host can safely call this on every startup.
   * @param key your own key, 1 to 100 characters, such as `"coffee"`.
   * @param input fields for a new template. To change an existing template, call {@link update}.
   * @throws {LoyaltyError} the same errors as {@link create}, or `access_denied` if the caller lacks `template:read`.
   * @example
   * const coffee = await acme.templates.ensure("coffee", { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 });
   */
  async ensure(key: string, input: EnsureTemplate & IdempotencyOptions): Promise<Template> {
    const { tenant } = this;
    const { design: designInput, ...fields } = parseNew(ensureTemplateSchema, withField(input, "key", key));
    const prepareDesign = () => decodeDesign(tenant, designInput);
    return tenant.changeAfter(prepareDesign, ["templates.ensure", key, input], function* (design, change) {
      const { tx } = change;
      const existing = yield* findTemplateByKey(tx, fields.key);
      if (existing !== null) return templateOf(existing);
      return markNew(yield* insertTemplate(change, fields, design));
    });
  }

  /**
   * Lists all templates, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `template:read`.
   */
  async list(): Promise<Template[]> {
    return (await runStep(this.tenant.reader.listTemplates())).map(templateOf);
  }

  /**
   * Returns a template by its ID.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `template:read`.
   */
  async get(templateId: string): Promise<Template> {
    return templateOf(
      await runStep(findTemplate(this.tenant.reader, this.tenant.organizationId, templateId)),
    );
  }

  /**
   * Changes only the given fields. Once set, a key can't be changed. Existing passes keep their own `maxStamps`. If nothing
   * changes, `updatedAt` stays the same and no event is emitted.
   * @throws {LoyaltyError} `resource_not_found`, `template_already_exists`, `too_many_pictures`, `storage_unavailable` under the
   *   same condition as in {@link create}, `access_denied` if the caller lacks `template:update`, or `validation_failed`, including
   *   when `maxStamps` is set on a template that isn't a stamp card, `key` is set on a template that already has a different key, or
   *   the type of card doesn't allow `earning` or `points`.
   */
  async update(templateId: string, input: UpdateTemplate & IdempotencyOptions): Promise<Template> {
    const { tenant } = this;
    const fields = parse(updateTemplateSchema, input);
    const { organizationId } = tenant;
    const prepareDesign = () => decodeDesign(tenant, fields.design);
    return tenant.changeAfter(
      prepareDesign,
      ["templates.update", templateId, input],
      function* (decodedDesign, { tx, record }) {
        const before = yield* findTemplate(tx, organizationId, templateId);
        if (fields.maxStamps !== undefined && before.type !== "STAMP_CARD") {
          throw validationFailed({ maxStamps: MAX_STAMPS_NOT_ALLOWED });
        }
        if (fields.key !== undefined && fields.key !== before.key) {
          if (before.key !== null) throw validationFailed({ key: "can't be changed once it is set" });
          if (fields.key !== null) yield* assertKeyIsFree(tx, fields.key);
        }
        const now = tenant.now();
        const design =
          decodedDesign === undefined ? before.design : yield* storeDesign(tx, decodedDesign, now);
        const { earning, points, ...rest } = fields;
        const program = {
          ...parseProgram(before),
          ...(earning !== undefined && { earning }),
          ...(points !== undefined && { points }),
        };
        const errors = findProgramErrors(before.type, program);
        if (errors.size > 0) throw validationFailed(Object.fromEntries(errors));
        const patched = applyPatch(before, { ...rest, design, ...serializeProgram(program) }, now);
        if (patched === before) return templateOf(before);
        const isNewVersion = patched.earning !== before.earning || patched.points !== before.points;
        const after = isNewVersion ? { ...patched, programVersion: before.programVersion + 1 } : patched;
        if (isNewVersion)
          yield* tx.insertPastProgram({
            templateId: before.id,
            version: before.programVersion,
            earning: before.earning,
            points: before.points,
          });
        yield* tx.updateTemplate(after);
        const template = templateOf(after);
        record("template.updated", template);
        return template;
      },
    );
  }

  /**
   * Deletes a template. Fails if passes have been issued from it.
   * @throws {LoyaltyError} `resource_not_found`, `template_in_use`, or `access_denied` if the caller lacks `template:delete`.
   */
  async delete(templateId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["templates.delete", templateId, options], function* ({ tx, record }) {
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (yield* tx.templateHasPasses(template.id)) throw createLoyaltyError("template_in_use");
      yield* tx.deleteTemplate(template.id);
      record("template.deleted", templateOf(template));
    });
  }
}

/**
 * Inserts a template in the caller's transaction.
 * @throws {LoyaltyError} `too_many_templates`; `too_many_pictures`.
 */
function* insertTemplate(
  { tenant, tx, record }: Change,
  {
    earning,
    points,
    ...fields
  }: Pick<StoredTemplate, "key" | "name" | "type" | "maxStamps" | "reward"> & Program,
  decodedDesign: ReadDesign | null,
): Step<Template> {
  const now = tenant.now();
  const design = yield* storeDesign(tx, decodedDesign, now);
  const program = { ...serializeProgram({ earning, points }), programVersion: 1 };
  const row = { id: tenant.newId("tpl"), ...fields, design, ...program, createdAt: now, updatedAt: now };
  yield* assertBelowLimit(tx, tenant, "templates");
  yield* tx.insertTemplate(row);
  const template = templateOf(row);
  record("template.created", template);
  return template;
}

/** Finds a template by key. The transaction holds the organization's lock, so a free key stays free until the transaction ends. */
function* findTemplateByKey(tx: StorageTransaction, key: string): Step<StoredTemplate | null> {
  return (yield* tx.listTemplates()).find((template) => template.key === key) ?? null;
}

/** @throws {LoyaltyError} `template_already_exists`. */
function* assertKeyIsFree(tx: StorageTransaction, key: string): Step<void> {
  if ((yield* findTemplateByKey(tx, key)) !== null)
    throw createLoyaltyError("template_already_exists", [key]);
}

/** Returns a program as stored JSON. */
function serializeProgram({ earning, points }: Program) {
  return {
    earning: earning === null ? null : JSON.stringify(earning),
    points: points === null ? null : JSON.stringify(points),
  };
}

/** Stores a design's pictures and returns the design as stored JSON. */
function* storeDesign(tx: StorageTransaction, design: ReadDesign | null, now: number): Step<string | null> {
  if (design === null) return null;
  return JSON.stringify(yield* storeDesignPictures(tx, design, now));
}
