import type { StorageReader, StorageTransaction, StoredTag } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import type { Organizations } from "./organizations.js";
import { prepare, type Slot } from "./prepared.js";
import type { SegmentSets } from "./segment-sets.js";
import { changed, first, type ReadSession, type Session } from "./session.js";

type TagReads = Pick<StorageReader, "findTag" | "listTags">;
type TagWrites = Pick<StorageTransaction, "insertTag" | "updateTag" | "deleteTag">;

/** A tag as the port has it. */
export const tagColumns = [
  "loyalty_user_tags.id",
  "loyalty_user_tags.slug",
  "loyalty_user_tags.name",
  "loyalty_user_tags.description",
  "loyalty_user_tags.color",
  "loyalty_user_tags.created_at as createdAt",
  "loyalty_user_tags.updated_at as updatedAt",
] as const;

export function tagReads({ db }: SqlDialect): (session: ReadSession) => TagReads {
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

  return (session) => ({
    findTag: (organizationId, slug) => first(session, bySlug({ organizationId, slug })),
    listTags: (organizationId) => session.all(all({ organizationId })),
  });
}

/** Adds, changes and removes tags; with a tag go its assignments and its set. */
export function tagWrites(
  { db }: SqlDialect,
  organizations: Organizations,
  sets: SegmentSets,
): (session: Session) => TagWrites {
  const insert = prepare((slot: Slot<StoredTag & { organizationId: string; ordinal: number }>) =>
    db.insertInto("loyalty_user_tags").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      ordinal: slot("ordinal"),
      slug: slot("slug"),
      name: slot("name"),
      description: slot("description"),
      color: slot("color"),
      created_at: slot("createdAt"),
      updated_at: slot("updatedAt"),
    }),
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
      .where("id", "=", slot("id")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .deleteFrom("loyalty_user_tags")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id"))
      .returning("ordinal"),
  );

  return (session) => ({
    async insertTag(organizationId, tag) {
      const ordinal = await organizations.nextTag(session, organizationId);
      await session.change(insert({ organizationId, ordinal, ...tag }));
      await organizations.tagPlaced(session, organizationId, ordinal);
    },

    updateTag: (organizationId, tag) => changed(session, update({ organizationId, ...tag })),

    async deleteTag(organizationId, id) {
      const tag = await first(session, remove({ organizationId, id }));
      if (tag === null) return false;
      await sets.drop(session, organizationId, tag.ordinal);
      return true;
    },
  });
}
