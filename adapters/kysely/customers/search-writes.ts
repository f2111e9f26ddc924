import type { Changing } from "../change/pending.js";
import { blockOf, firstLate } from "../contacts/search-blocks.js";
import { usersOfBlock } from "../contacts/users-of-block.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { SearchedUser } from "../sql/search-index.js";

/** Keeps the search index, in the transactions that change users. */
export function searchWrites(dialect: SqlDialect) {
  const { search } = dialect;
  const ofBlock = usersOfBlock(dialect);

  async function isIndexed({ pending }: Changing, organizationId: string, ordinal: number): Promise<boolean> {
    return ordinal < firstLate((await pending.countersOf(organizationId)).nextUserOrdinal);
  }

  return {
    /** To be called when the row of a user is there, and before the next one's place is counted. */
    async added({ session, pending }: Changing, organizationId: string, ordinal: number): Promise<void> {
      const { nextUserOrdinal: place } = await pending.countersOf(organizationId);
      const late = blockOf(ordinal + 1);
      if (blockOf(place) === late) return;
      // They differ when places have been left out.
      for (const block of new Set([blockOf(place), blockOf(ordinal)])) {
        if (block >= late) continue;
        const users = await ofBlock(session, organizationId, block);
        if (users.length > 0) await search.add(session, organizationId, block, users);
      }
    },

    /** To be called when the text of a user is another one. */
    async changed(changing: Changing, organizationId: string, user: SearchedUser): Promise<void> {
      if (!(await isIndexed(changing, organizationId, user.ordinal))) return;
      await search.change(changing.session, organizationId, user);
    },

    /** To be called when a user goes. */
    async removed(changing: Changing, organizationId: string, ordinal: number): Promise<void> {
      if (!(await isIndexed(changing, organizationId, ordinal))) return;
      await search.remove(changing.session, organizationId, ordinal);
    },
  };
}
