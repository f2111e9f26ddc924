import type { Step } from "../../../../src/base/concurrency/step.js";
import { prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import type { SearchedUser } from "../sql/search-index.js";
import { boundsOfBlock } from "./search-blocks.js";

/** Creates a function that reads a block's users in the form that the search index stores. */
export function usersOfBlock({ db }: SqlDialect) {
  const selectUsers = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", "search_text as searchText"])
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">=", slot("from"))
      .where("ordinal", "<", slot("to"))
      .orderBy("ordinal"),
  );

  return (session: ReadSession, organizationId: string, block: number): Step<SearchedUser[]> =>
    session.all(selectUsers({ organizationId, ...boundsOfBlock(block) }));
}
