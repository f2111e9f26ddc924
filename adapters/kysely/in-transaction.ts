import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { WriteContext } from "./change/transaction-buffer.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { getRules } from "./session/call-rules.js";

/** The context passed to every function of a transaction. */
export type SetWriteContext = WriteContext & ReadingColumns;

type Run = AnyFunction<SetWriteContext>;

/**
 * Returns the port's functions with their locking applied, for use in a transaction. If transactions run in parallel, each call
 * first locks its organization's row, unless the function's rules say otherwise. An organization's transactions therefore run one
 * at a time, and the data they have read stays valid. Locks are always taken in the same order, first the organization and then its
 * rows, so transactions for different organizations never wait for each other. Taking the lock also checks the fence if the
 * transaction hasn't passed it yet.
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
  // Every function keeps its name and type.
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
