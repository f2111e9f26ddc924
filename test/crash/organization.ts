import { LoyaltyService, type TagFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";

export const ORGANIZATION = "acme";

/** Finds every user, because no user has a tag with this slug. */
export const EVERYBODY: TagFilter = { operator: "NOT", conditions: [{ slug: "nobody-has-it" }] };

/** Retains all events, because the checks read every one. */
export const retention = { maxEvents: Number.MAX_SAFE_INTEGER };

/** Creates a file with this many users. */
export async function fillFile(file: string, users: number): Promise<void> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), retention });
  const rows = Array.from({ length: users }, (_, at) => ({ email: `customer-${at}@example.com` }));
  await loyalty.organization(ORGANIZATION).users.import(rows);
  await loyalty.close();
}
