import { run, type Step } from "../concurrency/step.js";
import { failure, invalid, notFound } from "../errors.js";
import type { Once } from "../idempotency/idempotent-call.js";
import type { ReadDesign } from "../resources/design.js";
import { parse, parseNew } from "../resources/parse.js";
import {
  type CreateTemplate,
  createTemplateSchema,
  MAX_STAMPS_ELSEWHERE,
  type Template,
  templateOf,
  type UpdateTemplate,
  updateTemplateSchema,
} from "../resources/template.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import { refuseTooMany } from "../tenant/limits.js";
import { withSent } from "../tenant/sent-fields.js";
import { UseCases } from "../tenant/use-cases.js";
import { isStorable } from "../values/text.js";
import { decodedDesign, withKeptPictures } from "./pictures.js";

/** The designs that passes are issued from. */
export class Templates extends UseCases {
  /**
   * @throws {LoyaltyError} `validation_failed`; `too_many_pictures`; `storage_unavailable` when too many pictures of the
   *   organization wait to be decoded; `access_denied` without `template:create`.
   */
  async create(input: CreateTemplate & Once): Promise<Template> {
    const { tenant } = this;
    const { design: read, ...fields } = parseNew(createTemplateSchema, input);
    const { organizationId } = tenant;
    const prepare = () => decodedDesign(tenant, read);
    return tenant.changeAfter(prepare, ["templates.create", input], function* (design, tx, record) {
      const now = tenant.now();
      const stored = {
        id: tenant.newId("tpl"),
        ...fields,
        design: yield* designText(tx, organizationId, design, now),
        createdAt: now,
        updatedAt: now,
      };
      yield* refuseTooMany(tx, tenant, "templates");
      yield* tx.insertTemplate(organizationId, stored);
      const template = templateOf(stored);
      record("template.created", template);
      return template;
    });
  }

  /** All templates, oldest first. @throws {LoyaltyError} `access_denied` without `template:read`. */
  async list(): Promise<Template[]> {
    return (await run(this.tenant.storage.listTemplates(this.tenant.organizationId))).map(templateOf);
  }

  /** @throws {LoyaltyError} `resource_not_found`; `access_denied` without `template:read`. */
  async get(templateId: string): Promise<Template> {
    return templateOf(await run(findTemplate(this.tenant.storage, this.tenant.organizationId, templateId)));
  }

  /**
   * Changes the sent fields; passes made before keep their own `maxStamps`. A change of nothing keeps
   * `updatedAt` and tells nobody.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`, also on `maxStamps` for a template that is
   *   no stamp card; `too_many_pictures`; `storage_unavailable` as for {@link create}; `access_denied` without `template:update`.
   */
  async update(templateId: string, input: UpdateTemplate & Once): Promise<Template> {
    const { tenant } = this;
    const change = parse(updateTemplateSchema, input);
    const { organizationId } = tenant;
    const prepare = () => decodedDesign(tenant, change.design);
    return tenant.changeAfter(prepare, ["templates.update", templateId, input], function* (read, tx, record) {
      const before = yield* findTemplate(tx, organizationId, templateId);
      if (change.maxStamps !== undefined && before.type !== "STAMP_CARD") {
        throw invalid({ maxStamps: MAX_STAMPS_ELSEWHERE });
      }
      const now = tenant.now();
      const design = read === undefined ? before.design : yield* designText(tx, organizationId, read, now);
      const after = withSent(before, { ...change, design }, now);
      if (after === before) return templateOf(before);
      yield* tx.updateTemplate(organizationId, after);
      const template = templateOf(after);
      record("template.updated", template);
      return template;
    });
  }

  /** @throws {LoyaltyError} `resource_not_found`; `template_in_use`; `access_denied` without `template:delete`. */
  async delete(templateId: string, options: Once = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["templates.delete", templateId, options], function* (tx, record) {
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (yield* tx.templateHasPasses(organizationId, template.id)) throw failure("template_in_use");
      yield* tx.deleteTemplate(organizationId, template.id);
      record("template.deleted", templateOf(template));
    });
  }
}

/** A design as it is stored, with its pictures kept. */
function* designText(
  tx: StorageTransaction,
  organizationId: string,
  design: ReadDesign | null,
  now: number,
): Step<string | null> {
  if (design === null) return null;
  return JSON.stringify(yield* withKeptPictures(tx, organizationId, design, now));
}

/** @throws {LoyaltyError} `resource_not_found`. */
export function* findTemplate(
  reader: StorageReader,
  organizationId: string,
  templateId: string,
): Step<StoredTemplate> {
  const template = isStorable(templateId) ? yield* reader.findTemplate(organizationId, templateId) : null;
  if (template === null) throw notFound("template", templateId, organizationId);
  return template;
}
