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
  const put = prepare((slot: Slot<StoredAnswer & { organizationId: string; bytes: number }>) => {
    const columns = {
      fingerprint: slot("fingerprint"),
      sealed: slot("sealed"),
      user_id: slot("userId"),
      created_at: slot("createdAt"),
    };
    return db
      .insertInto("loyalty_answers")
      .values(({ selectFrom }) => ({
        organization_id: slot("organizationId"),
        key_hash: slot("keyHash"),
        ...columns,
        end_bytes: selectFrom("loyalty_answers")
          .select(({ eb, fn, lit }) =>
            eb(fn.coalesce(fn.max("end_bytes"), lit(0)), "+", slot("bytes")).as("end_bytes"),
          )
          .where("organization_id", "=", slot("organizationId")),
      }))
      .onConflict((conflict) =>
        conflict
          .columns(["organization_id", "key_hash"])
          .doUpdateSet(({ ref }) => ({ ...columns, end_bytes: ref("excluded.end_bytes") })),
      );
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

  const removeBeyond = prepare((slot: Slot<{ organizationId: string; bytes: number; limit: number }>) =>
    db
      .deleteFrom("loyalty_answers")
      .where("organization_id", "=", slot("organizationId"))
      .where("key_hash", "in", (first) =>
        first
          .selectFrom("loyalty_answers")
          .select("key_hash")
          .where("organization_id", "=", slot("organizationId"))
          .where("end_bytes", "<=", ({ selectFrom }) =>
            selectFrom("loyalty_answers")
              .select(({ eb, fn }) => eb(fn.max("end_bytes"), "-", slot("bytes")).as("end_bytes"))
              .where("organization_id", "=", slot("organizationId")),
          )
          .orderBy("end_bytes")
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
      // First, since it keeps others from the organization: what they put counts.
      yield* pending.count(organizationId, {});
      yield* session.change(put({ organizationId, ...answer, bytes: answer.sealed.length }));
    },
    removeAnswers: ({ session }, organizationId, before, limit) =>
      session.change(remove({ organizationId, before, limit })),
    removeAnswersBeyond: ({ session }, organizationId, bytes, limit) =>
      session.change(removeBeyond({ organizationId, bytes, limit })),
  };
}
