import type { Step } from "../../../../src/base/concurrency/step.js";
import { blockOf } from "../contacts/search-blocks.js";
import { usersOfBlock } from "../contacts/users-of-block.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

/**
 * Creates the check for the contacts' indexes. The search index must match the users' search text, and the sort indexes must
 * contain all users.
 */
export function searchCheck(dialect: SqlDialect) {
  const { db, search, lateUsers } = dialect;
  const ofBlock = usersOfBlock(dialect);

  function* blocksOf(session: ReadSession, organizationId: string): Step<number> {
    const query = db
      .selectFrom("loyalty_organizations")
      .select("next_user_ordinal as next")
      .where("organization_id", "=", organizationId);
    const row = yield* findFirst(session, query.compile());
    return blockOf(row?.next ?? 0);
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const found: string[] = [];
      const blocks = yield* blocksOf(session, organizationId);
      for (let block = 0; block < blocks; block += 1) {
        const users = yield* ofBlock(session, organizationId, block);
        const isWhole =
          (yield* search.hasExactly(session, organizationId, block, users)) &&
          (lateUsers === null ||
            (yield* session.all(lateUsers.listInBlock(organizationId, block))).length === 0);
        if (!isWhole) found.push(`block ${block}`);
      }
      return found;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      yield* search.clear(session, organizationId);
      const blocks = yield* blocksOf(session, organizationId);
      for (let block = 0; block < blocks; block += 1) {
        const users = yield* ofBlock(session, organizationId, block);
        if (users.length > 0) yield* search.add(session, organizationId, block, users);
        if (lateUsers !== null) yield* session.change(lateUsers.indexBlock(organizationId, block));
      }
    },
  };
}
