import type { Step } from "../concurrency/step.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { USER_BATCH } from "../tenant/batches.js";
import type { Tenant } from "../tenant/tenant.js";
import type { RowBatches } from "./export-kind.js";

/** Reads what belongs to some users. */
export type ReadForUsers<Row> = (reader: StorageReader, users: readonly StoredUser[]) => Step<readonly Row[]>;

/** What belongs to all users, the oldest user first. @param batch users are read at a time. */
export async function* readRowsPerUser<Row>(
  tenant: Tenant,
  read: ReadForUsers<Row>,
  batch = USER_BATCH,
): RowBatches<Row> {
  for (let after = -1; ; ) {
    const { last, rows } = await tenant.read(function* (reader) {
      const users = yield* reader.listUsers(tenant.organizationId, after, batch);
      return { last: users.at(-1), rows: users.length === 0 ? [] : yield* read(reader, users) };
    }, true);
    if (last === undefined) return;
    yield rows;
    after = last.ordinal;
  }
}
