import type { Functions } from "../../../src/storage/methods.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { Changing } from "../change/pending.js";
import { setMembers } from "../segments/set-members.js";
import { called } from "../session/call-rules.js";
import { changed, type Reading } from "../session/session.js";
import { columnsOf } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { tables } from "../sql/tables.js";

type AssignmentReads = Pick<
  StorageReader,
  "tagsOfUser" | "slugsOfUsers" | "assignmentsOfUsers" | "usersOfTag"
>;
type AssignmentWrites = Pick<
  StorageTransaction,
  "assignTag" | "assignTags" | "unassignTag" | "unassignUsers"
>;

/** @param users reads the rows of users. */
export function assignmentReads(
  dialect: SqlDialect,
  users: Functions<Pick<StorageReader, "usersByOrdinal">, Reading>,
): Functions<AssignmentReads, Reading> {
  const { db, isOneOf, listParameter } = dialect;
  const assigned = db
    .selectFrom("loyalty_user_tag_assignments as assigned")
    .innerJoin("loyalty_user_tags", (join) =>
      join
        .onRef("loyalty_user_tags.organization_id", "=", "assigned.organization_id")
        .onRef("loyalty_user_tags.ordinal", "=", "assigned.tag_ordinal"),
    )
    .orderBy("assigned.created_at")
    .orderBy("assigned.id");

  const tagsOf = prepare((slot: Slot<{ organizationId: string; userOrdinal: number }>) =>
    assigned
      .select(columnsOf(tables.userTags, "loyalty_user_tags"))
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where("assigned.user_ordinal", "=", slot("userOrdinal")),
  );

  const slugsOf = prepare((slot: Slot<{ organizationId: string; userOrdinals: unknown }>) =>
    assigned
      .select([
        "assigned.user_ordinal as userOrdinal",
        "loyalty_user_tags.slug",
        "assigned.created_at as createdAt",
      ])
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("assigned.user_ordinal"), slot("userOrdinals"))),
  );

  const membersOf = setMembers(dialect);

  return {
    tagsOfUser: ({ session }, organizationId, userOrdinal) =>
      session.all(tagsOf({ organizationId, userOrdinal })),
    *slugsOfUsers({ session }, organizationId, userOrdinals) {
      const slugs = new Map<number, string[]>();
      const rows = yield* session.all(slugsOf({ organizationId, userOrdinals: listParameter(userOrdinals) }));
      for (const { userOrdinal, slug } of rows) {
        const others = slugs.get(userOrdinal);
        if (others === undefined) slugs.set(userOrdinal, [slug]);
        else others.push(slug);
      }
      return slugs;
    },
    assignmentsOfUsers: ({ session }, organizationId, userOrdinals) =>
      session.all(slugsOf({ organizationId, userOrdinals: listParameter(userOrdinals) })),
    usersOfTag: called(
      { readsPending: true, isOneState: true },
      function* (on, organizationId, tagOrdinal, after, limit) {
        const holders = yield* membersOf(on.session, organizationId, tagOrdinal, after, limit);
        return yield* users.usersByOrdinal(on, organizationId, holders);
      },
    ),
  };
}

interface OfUsers {
  organizationId: string;
  tagOrdinal: number;
  userOrdinals: unknown;
}

/** Builds the statement that removes the assignments of one tag to some users. No index knows those of a tag: its set does. */
export function removedAssignments({ db, isOneOf }: SqlDialect) {
  return (slot: Slot<OfUsers>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("tag_ordinal", "=", slot("tagOrdinal"))
      .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("userOrdinals")));
}

/** Gives users tags and takes them, in the tag's set too. */
export function assignmentWrites(dialect: SqlDialect): Functions<AssignmentWrites, Changing> {
  const { db, listParameter } = dialect;
  const inserts = dialect.rowInserts(tables.userTagAssignments);

  const ofUsers = removedAssignments(dialect);
  const removeSome = prepare((slot: Slot<OfUsers>) => ofUsers(slot).returning("user_ordinal as ordinal"));

  const remove = prepare((slot: Slot<{ organizationId: string; userOrdinal: number; tagOrdinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("user_ordinal", "=", slot("userOrdinal"))
      .where("tag_ordinal", "=", slot("tagOrdinal")),
  );

  return {
    *assignTag({ session, pending }, organizationId, assignment) {
      yield* pending.assertSet(organizationId, assignment.tagOrdinal, assignment.userOrdinal);
      const [isAdded] = yield* inserts.addMissing(session, organizationId, [assignment]);
      if (!isAdded) throw new StorageConflict("assignment");
      yield* pending.include(organizationId, assignment.tagOrdinal, assignment.userOrdinal);
    },

    *assignTags({ session, pending }, organizationId, assignments) {
      for (const { tagOrdinal, userOrdinal } of assignments) {
        yield* pending.assertSet(organizationId, tagOrdinal, userOrdinal);
      }
      const isAdded = yield* inserts.addMissing(session, organizationId, assignments);
      const added = assignments.filter((_, at) => isAdded[at]);
      for (const { tagOrdinal, userOrdinal } of added) {
        yield* pending.include(organizationId, tagOrdinal, userOrdinal);
      }
      return added;
    },

    *unassignTag({ session, pending }, organizationId, userOrdinal, tagOrdinal) {
      if (!(yield* changed(session, remove({ organizationId, userOrdinal, tagOrdinal })))) return false;
      yield* pending.exclude(organizationId, tagOrdinal, userOrdinal);
      return true;
    },

    *unassignUsers({ session, pending }, organizationId, tagOrdinal, ordinals) {
      const values = { organizationId, tagOrdinal, userOrdinals: listParameter(ordinals) };
      const removed = (yield* session.all(removeSome(values))).map(({ ordinal }) => ordinal);
      for (const ordinal of removed) yield* pending.exclude(organizationId, tagOrdinal, ordinal);
      return removed.sort((a, b) => a - b);
    },
  };
}
