import type { TemplateLookUps, TemplateReads, TemplateWrites } from "../../../../src/storage/templates.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

export function templateModule(
  dialect: SqlDialect,
): LookUpModule<TemplateReads, TemplateWrites, TemplateLookUps> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.templates);
  const pastPrograms = createRowStatements(dialect, tables.pastPrograms);

  const findOwners = prepare((slot: Slot<{ id: string }>) =>
    db.selectFrom("loyalty_templates").select("organization_id").where("id", "=", slot("id")).limit(2),
  );

  const findAnyPass = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select("template_id")
      .where("organization_id", "=", slot("organizationId"))
      .where("template_id", "=", slot("id"))
      .limit(1),
  );

  return {
    reads: {
      findTemplate: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),
      listTemplates: ({ session, organizationId }) => rows.list(session, organizationId),
      findPastProgram: ({ session, organizationId }, templateId, version) =>
        pastPrograms.find(session, organizationId, { templateId, version }),
      *templateHasPasses({ session, organizationId }, id) {
        return (yield* findFirst(session, findAnyPass({ organizationId, id }))) !== null;
      },
    },
    lookUps: {
      *organizationOfTemplate({ session }, id) {
        const [owner, secondOwner] = yield* session.all(findOwners({ id }));
        return secondOwner === undefined ? (owner?.organization_id ?? null) : null;
      },
    },
    writes: {
      *insertTemplate({ session, buffer, organizationId }, template) {
        yield* session.change(rows.insert(organizationId, template));
        yield* buffer.updateCounters(organizationId, {});
      },
      updateTemplate: ({ session, organizationId }, template) =>
        changeRow(session, rows.update(organizationId, template)),
      *insertPastProgram({ session, organizationId }, program) {
        yield* session.change(pastPrograms.insert(organizationId, program));
      },
      deleteTemplate: ({ session, organizationId }, id) =>
        changeRow(session, rows.remove(organizationId, { id })),
    },
  };
}
