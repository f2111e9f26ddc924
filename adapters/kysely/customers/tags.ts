import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { TagReads, TagWrites } from "../../../src/storage/tags.js";
import type { Part } from "../change/pending.js";
import { setMembers } from "../segments/set-members.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { removedAssignments } from "./assignments.js";

type Reads = Pick<TagReads, "findTag" | "listTags">;
type Writes = Pick<TagWrites, "insertTag" | "updateTag" | "deleteTag">;

/** The assignments that one statement removes: it blocks the process until it is done. */
const REMOVED_AT_ONCE = 2_000;

/** Adds, changes and removes tags; with a tag go its assignments and its set. */
export function tags(dialect: SqlDialect): Part<Reads, Writes> {
  const { db, listParameter } = dialect;
  const rows = rowsOf(dialect, tables.userTags);
  const insert = rows.insertUnless("slug");

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("slug", "=", slot("slug")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tags")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
  );

  const membersOf = setMembers(dialect);
  const removeAssignments = prepare(removedAssignments(dialect));

  return {
    reads: {
      findTag: ({ session }, organizationId, slug) => first(session, bySlug({ organizationId, slug })),
      listTags: ({ session }, organizationId) => rows.list(session, organizationId),
    },
    writes: {
      *insertTag({ session, pending }, organizationId, added) {
        const { nextTagOrdinal: ordinal } = yield* pending.countersOf(organizationId);
        const tag = { ...added, ordinal };
        if (!(yield* changed(session, insert(organizationId, tag)))) throw new StorageConflict("slug");
        yield* pending.count(organizationId, { nextTagOrdinal: ordinal + 1 });
        return tag;
      },
      updateTag: ({ session }, organizationId, tag) => changed(session, rows.update(organizationId, tag)),
      *deleteTag({ session, pending }, organizationId, ordinal) {
        yield* pending.write();
        for (let after = -1; ; ) {
          const holders = yield* membersOf(session, organizationId, ordinal, after, REMOVED_AT_ONCE);
          const last = holders.at(-1);
          if (last === undefined) break;
          const userOrdinals = listParameter(holders);
          yield* session.change(removeAssignments({ organizationId, tagOrdinal: ordinal, userOrdinals }));
          after = last;
        }
        yield* pending.dropSet(organizationId, ordinal);
        return yield* changed(session, remove({ organizationId, ordinal }));
      },
    },
  };
}
