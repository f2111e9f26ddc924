import { chunkFromBytes, chunkOf, chunkToBytes, collectBitsFrom } from "../../../../src/storage/bitmap.js";
import {
  type MessageReads,
  type MessageWrites,
  messageJobs,
  messageProgress,
} from "../../../../src/storage/messages.js";
import type { PortModule } from "../change/commit-buffer.js";
import { prepareSetDueTime } from "../jobs/jobs.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepareNewestFirst } from "../sql/newest-first.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/** Chunks of an audience per read. */
const CHUNKS_PER_READ = 8;

interface MessageKey {
  organizationId: string;
  messageId: string;
}

export function messageModule(dialect: SqlDialect): PortModule<MessageReads, MessageWrites> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.messages);
  const audiences = createRowStatements(dialect, tables.messageAudiences);
  const setDueTime = prepareSetDueTime(dialect, messageJobs);

  const updateProgress = rows.prepareUpdateOf(...messageProgress);

  const findByIds = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_messages")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids")))
      .orderBy("id"),
  );

  const list = prepareNewestFirst(dialect, tables.messages);

  const findAfter = prepare(
    (slot: Slot<{ organizationId: string; part: string; after: string; limit: number }>) =>
      db
        .selectFrom("loyalty_messages")
        .where("organization_id", "=", slot("organizationId"))
        .select(({ case: either, ref }) => [
          "id",
          either()
            .when(dialect.contains(ref("audience"), slot("part")))
            .then(1)
            .else(0)
            .end()
            .as("isNaming"),
        ])
        .where("id", ">", slot("after"))
        .orderBy("id")
        .limit(slot("limit")),
  );

  const selectChunksFrom = prepare((slot: Slot<MessageKey & { chunk: number; limit: number }>) =>
    db
      .selectFrom("loyalty_message_audiences")
      .select(["chunk", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where("message_id", "=", slot("messageId"))
      .where("chunk", ">=", slot("chunk"))
      .orderBy("chunk")
      .limit(slot("limit")),
  );

  const removeChunks = prepare((slot: Slot<MessageKey>) =>
    db
      .deleteFrom("loyalty_message_audiences")
      .where("organization_id", "=", slot("organizationId"))
      .where("message_id", "=", slot("messageId")),
  );

  return {
    reads: {
      findMessage: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),

      *messagesById({ session, organizationId }, ids) {
        return (yield* session.all(findByIds({ organizationId, ids: listParameter(ids) }))).map(rows.toRow);
      },

      listMessages: withRules({ needsSnapshot: true }, ({ session, organizationId }, query) =>
        list(session, { organizationId, owner: null, ...query }),
      ),

      *messagesWithRecipient({ session, organizationId }, part, after, limit) {
        const rows = yield* session.all(findAfter({ organizationId, part, after, limit }));
        return {
          ids: rows.filter(({ isNaming }) => isNaming === 1).map(({ id }) => id),
          next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
        };
      },

      messageAudience: withRules(
        { needsSnapshot: true },
        function* ({ session, organizationId }, messageId, from, limit) {
          const userOrdinals: number[] = [];
          for (let chunk = chunkOf(from); userOrdinals.length < limit; ) {
            const page = { organizationId, messageId, chunk, limit: CHUNKS_PER_READ };
            const pageChunks = yield* session.all(selectChunksFrom(page));
            for (const { chunk: chunkIndex, ordinals } of pageChunks) {
              collectBitsFrom(chunkFromBytes(ordinals), chunkIndex, from, limit, userOrdinals);
              chunk = chunkIndex + 1;
            }
            if (pageChunks.length < CHUNKS_PER_READ) break;
          }
          return userOrdinals;
        },
      ),
    },
    writes: {
      *insertMessage({ session, buffer, organizationId }, message) {
        yield* session.change(rows.insert(organizationId, message));
        yield* buffer.updateCounters(organizationId, {});
      },

      updateMessage: ({ session, organizationId }, message) =>
        changeRow(session, rows.update(organizationId, message)),

      updateMessageProgress: ({ session, organizationId }, message) =>
        changeRow(session, updateProgress(organizationId, message)),

      *deleteMessage({ session, organizationId }, id) {
        if (!(yield* changeRow(session, rows.remove(organizationId, { id })))) return false;
        yield* session.change(setDueTime({ organizationId }));
        return true;
      },

      *putMessageAudience({ session, organizationId }, messageId, audience) {
        for (let chunk = 0; chunk < audience.length; chunk += 1) {
          const bits = audience.chunk(chunk);
          if (bits === undefined || bits.every((word) => word === 0)) continue;
          const row = { messageId, chunk, ordinals: chunkToBytes(bits) };
          yield* session.change(audiences.insert(organizationId, row));
        }
      },

      *removeMessageAudience({ session, organizationId }, messageId) {
        yield* session.change(removeChunks({ organizationId, messageId }));
      },
    },
  };
}
