import { LoyaltyService, type TagFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";

export const ORGANIZATION = "acme";

/** No user has a tag with this slug. */
export const EVERYBODY: TagFilter = { operator: "NOT", conditions: [{ slug: "nobody-has-it" }] };

/** Every event is looked at, so none may go. */
export const retention = { maxEvents: Number.MAX_SAFE_INTEGER };

/** Makes a file with this many users. */
export async function fillFile(file: string, users: number): Promise<void> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), retention });
  const rows = Array.from({ length: users }, (_, at) => ({ email: `customer-${at}@example.com` }));
  await loyalty.organization(ORGANIZATION).users.import(rows);
  await loyalty.close();
}
