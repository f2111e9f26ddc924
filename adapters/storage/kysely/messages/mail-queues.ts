import type { MailLookUps, MailReads, MailWrites } from "../../../../src/storage/mail.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<MailReads, "findMessageSettings">;
type Writes = Pick<MailWrites, "putMessageSettings">;

/** Creates the storage module for message settings and mail queues, whose tables have one row per organization. */
export function mailQueueModule(dialect: SqlDialect): LookUpModule<Reads, Writes, MailLookUps> {
  const { db } = dialect;
  const settings = createRowStatements(dialect, tables.messageSettings);
  const { columns } = createRowStatements(dialect, tables.mailQueues);

  const findOwners = prepare((slot: Slot<{ token: string }>) =>
    db
      .selectFrom("loyalty_mail_queues")
      .select("organization_id as organizationId")
      .where("token", "=", slot("token"))
      .limit(2),
  );

  const findAfter = prepare((slot: Slot<{ after: string; limit: number }>) =>
    db
      .selectFrom("loyalty_mail_queues")
      .select(["organization_id as organizationId", ...columns])
      .where("organization_id", ">", slot("after"))
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      findMessageSettings: ({ session, organizationId }) => settings.find(session, organizationId, {}),
    },
    lookUps: {
      *organizationOfMailToken({ session }, token) {
        const [owner, secondOwner] = yield* session.all(findOwners({ token }));
        return secondOwner === undefined ? (owner ?? null) : null;
      },

      *mailQueuesAfter({ session }, after, limit) {
        const rows = yield* session.all(findAfter({ after, limit }));
        return rows.map(({ organizationId, ...queue }) => ({ organizationId, queue }));
      },
    },
    writes: {
      *putMessageSettings({ session, buffer, organizationId }, row) {
        yield* session.change(settings.put(organizationId, row));
        yield* buffer.updateCounters(organizationId, {});
      },
    },
  };
}
