import type {
  SavedSegmentLookUps,
  SavedSegmentReads,
  SavedSegmentWrites,
} from "../../../../src/storage/saved-segments.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<SavedSegmentReads, "findSegmentFollower" | "silentChanges">;
type Writes = Pick<SavedSegmentWrites, "putSegmentFollower" | "insertSilentChange" | "deleteSilentChanges">;

/**
 * Creates the storage module for evaluating segments by following the outbox. The module stores each organization's position in the
 * outbox, along with the changes that affect segments without producing an event.
 */
export function segmentFollowerModule(dialect: SqlDialect): LookUpModule<Reads, Writes, SavedSegmentLookUps> {
  const { db, isOneOf, listParameter } = dialect;
  const followers = createRowStatements(dialect, tables.segmentFollowers);
  const changes = createRowStatements(dialect, tables.silentChanges);

  const selectFollowed = prepare((slot: Slot<{ after: string; limit: number }>) =>
    db
      .selectFrom("loyalty_segment_followers")
      .select("organization_id as organizationId")
      .where("organization_id", ">", slot("after"))
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  const selectToFollow = prepare((slot: Slot<{ now: number; limit: number }>) =>
    db
      .selectFrom("loyalty_segment_followers as follower")
      .innerJoin("loyalty_organizations as known", "known.organization_id", "follower.organization_id")
      .select("follower.organization_id as organizationId")
      .where(({ eb, or, and, exists, ref, selectFrom }) =>
        or([
          eb("follower.next_midnight", "<=", slot("now")),
          eb("follower.position", "<", ref("known.newest_event_position")),
          and([
            eb("follower.position", "is not", null),
            exists(
              selectFrom("loyalty_silent_changes as change")
                .select("change.id")
                .whereRef("change.organization_id", "=", "follower.organization_id"),
            ),
          ]),
        ]),
      )
      .orderBy("follower.next_midnight")
      .orderBy("follower.organization_id")
      .limit(slot("limit")),
  );

  const selectOldest = prepare((slot: Slot<{ organizationId: string; limit: number }>) =>
    db
      .selectFrom("loyalty_silent_changes")
      .select(changes.columns)
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("id")
      .limit(slot("limit")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .deleteFrom("loyalty_silent_changes")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  return {
    reads: {
      findSegmentFollower: ({ session, organizationId }) => followers.find(session, organizationId, {}),
      *silentChanges({ session, organizationId }, limit) {
        return (yield* session.all(selectOldest({ organizationId, limit }))).map(changes.toRow);
      },
    },
    lookUps: {
      *organizationsWithSavedSegments({ session }, after, limit) {
        const rows = yield* session.all(selectFollowed({ after, limit }));
        return rows.map(({ organizationId }) => organizationId);
      },

      organizationsToFollow: withRules({ readsBuffered: true }, function* ({ session }, now, limit) {
        const rows = yield* session.all(selectToFollow({ now, limit }));
        return rows.map(({ organizationId }) => organizationId);
      }),
    },
    writes: {
      *putSegmentFollower({ session, buffer, organizationId }, follower) {
        yield* buffer.updateCounters(organizationId, {});
        yield* session.change(followers.put(organizationId, follower));
      },
      *insertSilentChange({ session, buffer, organizationId }, change) {
        yield* buffer.updateCounters(organizationId, {});
        yield* session.change(changes.insert(organizationId, change));
      },
      *deleteSilentChanges({ session, organizationId }, ids) {
        yield* session.change(remove({ organizationId, ids: listParameter(ids) }));
      },
    },
  };
}
