import type { AnswerReads, AnswerWrites, StoredAnswer } from "../../../src/storage/answers.js";
import { first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { WriteSession } from "./write-session.js";

export function answerReads({ db }: SqlDialect): (session: ReadSession) => AnswerReads {
  const byKey = prepare((slot: Slot<{ organizationId: string; keyHash: string }>) =>
    db
      .selectFrom("loyalty_answers")
      .select(["key_hash as keyHash", "fingerprint", "sealed", "created_at as createdAt"])
      .where("organization_id", "=", slot("organizationId"))
      .where("key_hash", "=", slot("keyHash")),
  );

  return (session) => ({
    findAnswer: (organizationId, keyHash) => first(session, byKey({ organizationId, keyHash })),
  });
}

export function answerWrites({ db }: SqlDialect): (session: WriteSession) => AnswerWrites {
  const put = prepare((slot: Slot<StoredAnswer & { organizationId: string }>) => {
    const columns = {
      fingerprint: slot("fingerprint"),
      sealed: slot("sealed"),
      created_at: slot("createdAt"),
    };
    return db
      .insertInto("loyalty_answers")
      .values({ organization_id: slot("organizationId"), key_hash: slot("keyHash"), ...columns })
      .onConflict((conflict) => conflict.columns(["organization_id", "key_hash"]).doUpdateSet(columns));
  });

  const remove = prepare((slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
    db
      .deleteFrom("loyalty_answers")
      .where("organization_id", "=", slot("organizationId"))
      .where("key_hash", "in", (oldest) =>
        oldest
          .selectFrom("loyalty_answers")
          .select("key_hash")
          .where("organization_id", "=", slot("organizationId"))
          .where("created_at", "<", slot("before"))
          .orderBy("created_at")
          .limit(slot("limit")),
      ),
  );

  return (session) => ({
    async putAnswer(organizationId, answer) {
      await session.change(put({ organizationId, ...answer }));
      await session.pending.count(organizationId, {});
    },
    removeAnswers: (organizationId, before, limit) =>
      session.change(remove({ organizationId, before, limit })),
  });
}
