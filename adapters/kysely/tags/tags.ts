import type { Functions } from "../../../src/storage/methods.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { StoredTag } from "../../../src/storage/tags.js";
import type { Changing } from "../change/pending.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

type TagReads = Pick<StorageReader, "findTag" | "listTags">;
type TagWrites = Pick<StorageTransaction, "insertTag" | "updateTag" | "deleteTag">;

/** How many assignments one statement removes: a statement holds up the process until it is done. */
const REMOVED_AT_ONCE = 2_000;

/** A tag as the port has it. */
export const tagColumns = [
  "loyalty_user_tags.ordinal",
  "loyalty_user_tags.id",
  "loyalty_user_tags.slug",
  "loyalty_user_tags.name",
  "loyalty_user_tags.description",
  "loyalty_user_tags.color",
  "loyalty_user_tags.created_at as createdAt",
  "loyalty_user_tags.updated_at as updatedAt",
] as const;

export function tagReads({ db }: SqlDialect): Functions<TagReads, Reading> {
  const found = db.selectFrom("loyalty_user_tags").select(tagColumns);

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).where("slug", "=", slot("slug")),
  );

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_user_tags.created_at")
      .orderBy("loyalty_user_tags.id"),
  );

  return {
    findTag: ({ session }, organizationId, slug) => first(session, bySlug({ organizationId, slug })),
    listTags: ({ session }, organizationId) => session.all(all({ organizationId })),
  };
}

/** Adds, changes and removes tags; with a tag go its assignments and its set. */
export function tagWrites({ db }: SqlDialect): Functions<TagWrites, Changing> {
  const insert = prepare((slot: Slot<StoredTag & { organizationId: string }>) =>
    db
      .insertInto("loyalty_user_tags")
      .values({
        organization_id: slot("organizationId"),
        id: slot("id"),
        ordinal: slot("ordinal"),
        slug: slot("slug"),
        name: slot("name"),
        description: slot("description"),
        color: slot("color"),
        created_at: slot("createdAt"),
        updated_at: slot("updatedAt"),
      })
      .onConflict((conflict) => conflict.columns(["organization_id", "slug"]).doNothing()),
  );

  const update = prepare((slot: Slot<StoredTag & { organizationId: string }>) =>
    db
      .updateTable("loyalty_user_tags")
      .set({
        name: slot("name"),
        description: slot("description"),
        color: slot("color"),
        updated_at: slot("updatedAt"),
      })
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
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
    *insertTag({ session, pending }, organizationId, added) {
      const { nextTagOrdinal: ordinal } = yield* pending.countersOf(organizationId);
      const tag = { ...added, ordinal };
      if (!(yield* changed(session, insert({ organizationId, ...tag })))) throw new StorageConflict("slug");
      yield* pending.count(organizationId, { nextTagOrdinal: ordinal + 1 });
      return tag;
    },

    updateTag: ({ session }, organizationId, tag) => changed(session, update({ organizationId, ...tag })),

    *deleteTag({ session, pending }, organizationId, ordinal) {
      while ((yield* session.change(removeAssignments({ organizationId, ordinal }))) > 0);
      yield* pending.dropSet(organizationId, ordinal);
      return yield* changed(session, remove({ organizationId, ordinal }));
    },
  };
}
