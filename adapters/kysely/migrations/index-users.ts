import type { Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** How many users one read brings: what is in memory at a time. */
const BATCH = 1_000;

interface Place {
  organizationId: string;
  ordinal: number;
}

/** Adds the users of every organization to a search index that has none of them. */
export async function indexUsers({ db, search }: SqlDialect, session: Session): Promise<void> {
  const after = prepare((slot: Slot<Place>) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", "search_text as searchText"])
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("ordinal"))
      .orderBy("ordinal")
      .limit(BATCH),
  );
  const organizations = db.selectFrom("loyalty_organizations").select("organization_id as id").compile();
  for (const { id: organizationId } of await session.all(organizations)) {
    for (let last = -1; ; ) {
      const users = await session.all(after({ organizationId, ordinal: last }));
      for (const { ordinal, searchText } of users) {
        await search.add(session, organizationId, ordinal, searchText);
        last = ordinal;
      }
      if (users.length < BATCH) break;
    }
  }
}
