import type { AnswerReads, AnswerWrites, StoredAnswer } from "../../../src/storage/answers.js";
import type { Functions } from "../../../src/storage/methods.js";
import { first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Changing } from "./pending.js";

export function answerReads({ db }: SqlDialect): Functions<AnswerReads, Reading> {
  const byKey = prepare((slot: Slot<{ organizationId: string; keyHash: string }>) =>
    db
      .selectFrom("loyalty_answers")
      .select([
        "key_hash as keyHash",
        "fingerprint",
        "sealed",
        "user_id as userId",
        "created_at as createdAt",
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where("key_hash", "=", slot("keyHash")),
  );

  return {
    findAnswer: ({ session }, organizationId, keyHash) => first(session, byKey({ organizationId, keyHash })),
  };
}

export function answerWrites({ db }: SqlDialect): Functions<AnswerWrites, Changing> {
  const put = prepare((slot: Slot<StoredAnswer & { organizationId: string }>) => {
    const columns = {
      fingerprint: slot("fingerprint"),
      sealed: slot("sealed"),
      user_id: slot("userId"),
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

  const forget = prepare((slot: Slot<{ organizationId: string; userId: string }>) =>
    db
      .updateTable("loyalty_answers")
      .set({ fingerprint: "", sealed: "" })
      .where("organization_id", "=", slot("organizationId"))
      .where("user_id", "=", slot("userId")),
  );

  return {
    forgetAnswers: ({ session }, organizationId, userId) =>
      session.change(forget({ organizationId, userId })),
    *putAnswer({ session, pending }, organizationId, answer) {
      yield* session.change(put({ organizationId, ...answer }));
      yield* pending.count(organizationId, {});
    },
    removeAnswers: ({ session }, organizationId, before, limit) =>
      session.change(remove({ organizationId, before, limit })),
  };
}
