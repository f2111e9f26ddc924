import type { TemplateReads, TemplateWrites } from "../../../src/storage/templates.js";
import type { Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

export function templates(dialect: SqlDialect): Part<TemplateReads, TemplateWrites> {
  const { db } = dialect;
  const rows = rowsOf(dialect, tables.templates);

  const ownersOf = prepare((slot: Slot<{ id: string }>) =>
    db.selectFrom("loyalty_templates").select("organization_id").where("id", "=", slot("id")).limit(2),
  );

  const anyPass = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select("template_id")
      .where("organization_id", "=", slot("organizationId"))
      .where("template_id", "=", slot("id"))
      .limit(1),
  );

  return {
    reads: {
      findTemplate: ({ session }, organizationId, id) => rows.find(session, organizationId, { id }),
      organizationOfTemplate: called({ locks: "none" }, function* ({ session }, id) {
        const [owner, another] = yield* session.all(ownersOf({ id }));
        return another === undefined ? (owner?.organization_id ?? null) : null;
      }),
      listTemplates: ({ session }, organizationId) => rows.list(session, organizationId),
      *templateHasPasses({ session }, organizationId, id) {
        return (yield* first(session, anyPass({ organizationId, id }))) !== null;
      },
    },
    writes: {
      *insertTemplate({ session, pending }, organizationId, template) {
        yield* session.change(rows.insert(organizationId, template));
        yield* pending.count(organizationId, {});
      },
      updateTemplate: ({ session }, organizationId, template) =>
        changed(session, rows.update(organizationId, template)),
      deleteTemplate: ({ session }, organizationId, id) =>
        changed(session, rows.remove(organizationId, { id })),
    },
  };
}
