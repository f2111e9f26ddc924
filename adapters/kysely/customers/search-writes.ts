import type { Step } from "../../../src/concurrency/step.js";
import type { WriteContext } from "../change/transaction-buffer.js";
import { blockOf, firstUnindexedOrdinal } from "../contacts/search-blocks.js";
import { usersOfBlock } from "../contacts/users-of-block.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { SearchedUser } from "../sql/search-index.js";

/**
 * Creates the write functions that keep the search index and the contact sort indexes up to date. They run in the transactions that
 * change users.
 */
export function searchWrites(dialect: SqlDialect) {
  const { search, lateUsers } = dialect;
  const ofBlock = usersOfBlock(dialect);

  function* isIndexed({ pending }: WriteContext, organizationId: string, ordinal: number): Step<boolean> {
    return ordinal < firstUnindexedOrdinal((yield* pending.getCounters(organizationId)).nextUserOrdinal);
  }

  return {
    /**
     * Indexes the blocks that new users have completed. Call this after inserting the users and before increasing the next user's
     * ordinal.
     * @param newest the ordinal of the last new user.
     */
    *added({ session, pending }: WriteContext, organizationId: string, newest: number): Step<void> {
      const { nextUserOrdinal: place } = yield* pending.getCounters(organizationId);
      for (let block = blockOf(place); block < blockOf(newest + 1); block++) {
        const users = yield* ofBlock(session, organizationId, block);
        if (users.length > 0) yield* search.add(session, organizationId, block, users);
        if (lateUsers !== null) yield* session.change(lateUsers.indexBlock(organizationId, block));
      }
    },

    /** Updates the search index after a user's search text has changed. */
    *changed(changing: WriteContext, organizationId: string, user: SearchedUser): Step<void> {
      if (!(yield* isIndexed(changing, organizationId, user.ordinal))) return;
      yield* search.change(changing.session, organizationId, user);
    },

    /** Updates the search index after a user has been deleted. */
    *removed(changing: WriteContext, organizationId: string, ordinal: number): Step<void> {
      if (!(yield* isIndexed(changing, organizationId, ordinal))) return;
      yield* search.remove(changing.session, organizationId, ordinal);
    },
  };
}
