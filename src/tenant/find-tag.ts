import { notFound } from "../errors.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import { isStorable } from "../values/text.js";

/** Finds a tag by its slug. @throws {LoyaltyError} `resource_not_found`. */
export async function findTag(
  reader: StorageReader,
  organizationId: string,
  slug: string,
): Promise<StoredTag> {
  const tag = isStorable(slug) ? await reader.findTag(organizationId, slug) : null;
  if (tag === null) throw notFound();
  return tag;
}
