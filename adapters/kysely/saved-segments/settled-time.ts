import { Bitmap } from "../../../src/storage/bitmap.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import type { Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limitedDelete } from "../sql/limited-delete.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  SavedSegmentReads,
  "organizationsWithSavedSegments" | "userWatermarks" | "usersEvaluatedThrough"
>;
type Writes = Pick<SavedSegmentWrites, "putUserWatermarks" | "deleteUserWatermarks">;

/** Keeps how far time is told of the customers of each organization. */
export function settledTime(dialect: SqlDialect): Part<Reads, Writes> {
  const { db, isOneOf, listParameter } = dialect;
  const settled = rowsOf(dialect, tables.settledUsers);

  const withMark = prepare((slot: Slot<{ after: string; limit: number }>) =>
    db
      .selectFrom("loyalty_segment_marks")
      .select("organization_id as organizationId")
      .where("organization_id", ">", slot("after"))
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  const settledOf = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    db
      .selectFrom("loyalty_settled_users")
      .select(settled.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("ordinals")))
      .orderBy("user_ordinal"),
  );

  const settledThrough = prepare((slot: Slot<{ organizationId: string; midnight: number }>) =>
    db
      .selectFrom("loyalty_settled_users")
      .select("user_ordinal as ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("through", ">=", slot("midnight")),
  );

  const dropped = limitedDelete<
    "loyalty_settled_users",
    { organizationId: string; midnight: number; limit: number }
  >(dialect, "loyalty_settled_users", "user_ordinal", (rows, slot) =>
    rows
      .where("through", "<=", slot("midnight"))
      .orderBy("through")
      .orderBy("user_ordinal")
      .limit(slot("limit")),
  );

  return {
    reads: {
      organizationsWithSavedSegments: called({ locks: "none" }, function* ({ session }, after, limit) {
        return (yield* session.all(withMark({ after, limit }))).map(({ organizationId }) => organizationId);
      }),
      userWatermarks: ({ session }, organizationId, ordinals) =>
        session.all(settledOf({ organizationId, ordinals: listParameter(ordinals) })),
      *usersEvaluatedThrough({ session }, organizationId, midnight) {
        const found = yield* session.all(settledThrough({ organizationId, midnight }));
        return Bitmap.of(found.map(({ ordinal }) => ordinal));
      },
    },
    writes: {
      *putUserWatermarks({ session }, organizationId, users) {
        for (const user of users) yield* session.change(settled.put(organizationId, user));
      },
      deleteUserWatermarks: ({ session }, organizationId, midnight, limit) =>
        session.change(dropped({ organizationId, midnight, limit })),
    },
  };
}
