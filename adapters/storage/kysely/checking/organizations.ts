import { runStep } from "../../../../src/base/concurrency/step.js";
import type { SqlAccess } from "../copying/copy.js";

/**
 * Returns the IDs of all organizations in a database, in ascending order.
 * @param limit the maximum number of IDs. Default: no limit.
 */
export async function readOrganizations({ dialect, database }: SqlAccess, limit?: number): Promise<string[]> {
  const all = dialect.db.selectFrom("loyalty_organizations").select("organization_id as id");
  const query = limit === undefined ? all : all.limit(limit);
  const rows = await runStep(database.session.all(query.orderBy("organization_id").compile()));
  return rows.map(({ id }) => id);
}

/** Returns whether the database has ever stored anything for the organization. */
export async function hasOrganization({ dialect, database }: SqlAccess, id: string): Promise<boolean> {
  const query = dialect.db
    .selectFrom("loyalty_organizations")
    .select("organization_id")
    .where("organization_id", "=", id);
  return (await runStep(database.session.all(query.compile()))).length > 0;
}
