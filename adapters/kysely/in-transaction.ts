import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { WriteContext } from "./change/transaction-buffer.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { getRules } from "./session/call-rules.js";

/** Context that the functions of a transaction receive. */
export type SetWriteContext = WriteContext & ReadingColumns;

type Run = AnyFunction<SetWriteContext>;

/**
 * Returns the functions bound to a transaction. If transactions run in parallel, each call first locks its organization's row,
 * unless its rules say otherwise. So an organization's transactions run one at a time and their reads stay valid. The lock order is
 * always the same: first the organization, then its rows. Organizations never wait for each other. The lock also checks the fence,
 * if that hasn't happened yet.
 */
export function bindToTransaction(
  functions: Functions<StorageTransaction, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<StorageTransaction, SetWriteContext> {
  const all = Object.entries<Run>(functions).map(([name, run]) => {
    const { locks, readsPending } = getRules(run);
    const written = readsPending ? afterWriting(run) : run;
    if (!locksOrganizations) return [name, written];
    return [name, locks === "organization" ? afterLocking(written) : afterLettingIn(written)];
  });
  // The result has the same names and function types.
  return Object.fromEntries(all);
}

function afterWriting(run: Run): Run {
  return function* (on, ...args) {
    yield* on.pending.write();
    return yield* run(on, ...args);
  };
}

function afterLettingIn(run: Run): Run {
  return function* (on, ...args) {
    yield* on.pending.checkFence();
    return yield* run(on, ...args);
  };
}

function afterLocking(run: Run): Run {
  return function* (on, organizationId, ...rest) {
    yield* on.pending.lock(organizationId);
    return yield* run(on, organizationId, ...rest);
  };
}
