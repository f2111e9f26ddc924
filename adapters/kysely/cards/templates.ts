import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { StoredTemplate } from "../../../src/storage/templates.js";
import type { Changing } from "../change/pending.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

type TemplateReads = Pick<
  StorageReader,
  "findTemplate" | "organizationOfTemplate" | "listTemplates" | "templateHasPasses"
>;
type TemplateWrites = Pick<StorageTransaction, "insertTemplate" | "updateTemplate" | "deleteTemplate">;

interface TemplateKey {
  organizationId: string;
  id: string;
}

export function templateReads({ db }: SqlDialect): Functions<TemplateReads, Reading> {
  const found = db
    .selectFrom("loyalty_templates")
    .select([
      "id",
      "name",
      "type",
      "max_stamps as maxStamps",
      "design",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ]);

  const byId = prepare((slot: Slot<TemplateKey>) =>
    found.where("organization_id", "=", slot("organizationId")).where("id", "=", slot("id")),
  );

  const ownersOf = prepare((slot: Slot<{ id: string }>) =>
    db.selectFrom("loyalty_templates").select("organization_id").where("id", "=", slot("id")).limit(2),
  );

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_templates.created_at")
      .orderBy("loyalty_templates.id"),
  );

  const anyPass = prepare((slot: Slot<TemplateKey>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select("template_id")
      .where("organization_id", "=", slot("organizationId"))
      .where("template_id", "=", slot("id"))
      .limit(1),
  );

  return {
    findTemplate: ({ session }, organizationId, id) => first(session, byId({ organizationId, id })),
    *organizationOfTemplate({ session }, id) {
      const [owner, another] = yield* session.all(ownersOf({ id }));
      return another === undefined ? (owner?.organization_id ?? null) : null;
    },
    listTemplates: ({ session }, organizationId) => session.all(all({ organizationId })),
    templateHasPasses: function* ({ session }, organizationId, id) {
      return (yield* first(session, anyPass({ organizationId, id }))) !== null;
    },
  };
}

export function templateWrites({ db }: SqlDialect): Functions<TemplateWrites, Changing> {
  const insert = prepare((slot: Slot<StoredTemplate & { organizationId: string }>) =>
    db.insertInto("loyalty_templates").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      name: slot("name"),
      type: slot("type"),
      max_stamps: slot("maxStamps"),
      design: slot("design"),
      created_at: slot("createdAt"),
      updated_at: slot("updatedAt"),
    }),
  );

  const update = prepare((slot: Slot<StoredTemplate & { organizationId: string }>) =>
    db
      .updateTable("loyalty_templates")
      .set({
        name: slot("name"),
        max_stamps: slot("maxStamps"),
        design: slot("design"),
        updated_at: slot("updatedAt"),
      })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const remove = prepare((slot: Slot<TemplateKey>) =>
    db
      .deleteFrom("loyalty_templates")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  return {
    *insertTemplate({ session, pending }, organizationId, template) {
      yield* session.change(insert({ organizationId, ...template }));
      yield* pending.count(organizationId, {});
    },
    updateTemplate: ({ session }, organizationId, template) =>
      changed(session, update({ organizationId, ...template })),
    deleteTemplate: ({ session }, organizationId, id) => changed(session, remove({ organizationId, id })),
  };
}
