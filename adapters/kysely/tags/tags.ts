import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { TagReads, TagWrites } from "../../../src/storage/tags.js";
import type { Part } from "../change/pending.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<TagReads, "findTag" | "listTags">;
type Writes = Pick<TagWrites, "insertTag" | "updateTag" | "deleteTag">;

/** The assignments that one statement removes: it blocks the process until it is done. */
const REMOVED_AT_ONCE = 2_000;

/** Adds, changes and removes tags; with a tag go its assignments and its set. */
export function tags(dialect: SqlDialect): Part<Reads, Writes> {
  const { db } = dialect;
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

  const removeAssignments = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("tag_ordinal", "=", slot("ordinal"))
      .where("user_ordinal", "in", (some) =>
        some
          .selectFrom("loyalty_user_tag_assignments")
          .select("user_ordinal")
          .where("organization_id", "=", slot("organizationId"))
          .where("tag_ordinal", "=", slot("ordinal"))
          .orderBy("user_ordinal")
          .limit(REMOVED_AT_ONCE),
      ),
  );

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
        while ((yield* session.change(removeAssignments({ organizationId, ordinal }))) > 0);
        yield* pending.dropSet(organizationId, ordinal);
        return yield* changed(session, remove({ organizationId, ordinal }));
      },
    },
  };
}
