import type { CooldownReads, CooldownWrites } from "../../../../src/storage/cooldowns.js";
import { prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepareLimitedDelete } from "../sql/limited-delete.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { PortModule } from "./commit-buffer.js";

export function cooldownModule(dialect: SqlDialect): PortModule<CooldownReads, CooldownWrites> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.cooldowns);

  const putCooldown = prepare((slot: Slot<{ organizationId: string; name: string; until: number }>) =>
    db
      .insertInto("loyalty_cooldowns")
      .values({ organization_id: slot("organizationId"), name: slot("name"), until: slot("until") })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "name"]).doUpdateSet({ until: slot("until") }),
      ),
  );

  const removeExpired = prepareLimitedDelete(
    dialect,
    "loyalty_cooldowns",
    "name",
    (query, slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
      query.where("until", "<", slot("before")).orderBy("until").limit(slot("limit")),
  );

  const removeExcess = prepareLimitedDelete(
    dialect,
    "loyalty_cooldowns",
    "name",
    (query, slot: Slot<{ organizationId: string; count: number; limit: number }>) =>
      query.orderBy("until", "desc").orderBy("name", "desc").limit(slot("limit")).offset(slot("count")),
  );

  return {
    reads: {
      findCooldown: ({ session, organizationId }, name) => rows.find(session, organizationId, { name }),
    },
    writes: {
      *putCooldown({ session, buffer, organizationId }, cooldown) {
        yield* session.change(putCooldown({ organizationId, ...cooldown }));
        yield* buffer.updateCounters(organizationId, {});
      },
      removeExpiredCooldowns: ({ session, organizationId }, before, limit) =>
        session.change(removeExpired({ organizationId, before, limit })),
      trimCooldowns: ({ session, organizationId }, count, limit) =>
        session.change(removeExcess({ organizationId, count, limit })),
    },
  };
}
