import type { Step } from "../../../src/concurrency/step.js";
import { blockOf } from "../contacts/search-blocks.js";
import { usersOfBlock } from "../contacts/users-of-block.js";
import type { Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/** Adds the users of every organization to a search index that has none of them. */
export function* indexUsers(dialect: SqlDialect, session: Session): Step<void> {
  const { db, search } = dialect;
  const ofBlock = usersOfBlock(dialect);
  const organizations = db
    .selectFrom("loyalty_organizations")
    .select(["organization_id as id", "next_user_ordinal as next"])
    .compile();
  for (const { id, next } of yield* session.all(organizations)) {
    for (let block = 0; block < blockOf(next); block += 1) {
      const users = yield* ofBlock(session, id, block);
      if (users.length > 0) yield* search.add(session, id, block, users);
    }
  }
}
