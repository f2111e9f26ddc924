import type { Step } from "../base/concurrency/step.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { RowBatches } from "./export-kind.js";

/** A function that reads the exported rows for a batch of users. */
export type ReadForUsers<Row> = (reader: StorageReader, users: readonly StoredUser[]) => Step<readonly Row[]>;

/** Number of users per read. A single user may have a thousand cards and five thousand tags. */
const BATCH = 50;

/** Yields batches of rows for all users, oldest users first. */
export async function* readRowsPerUser<Row>(
  tenant: Tenant,
  readForUsers: ReadForUsers<Row>,
): RowBatches<Row> {
  for (let after = -1; ; ) {
    const { last, rows } = await tenant.read(function* (reader) {
      const users = yield* reader.listUsers(after, BATCH);
      return { last: users.at(-1), rows: users.length === 0 ? [] : yield* readForUsers(reader, users) };
    }, true);
    if (last === undefined) return;
    yield rows;
    after = last.ordinal;
  }
}
