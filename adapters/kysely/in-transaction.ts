import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { WriteContext } from "./change/transaction-buffer.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { getRules } from "./session/call-rules.js";

/** The arguments that the functions of a transaction run on. */
export type SetWriteContext = WriteContext & ReadingColumns;

type Run = AnyFunction<SetWriteContext>;

/**
 * Returns the functions bound to a transaction. Where transactions run in parallel, each call first locks the row of its
 * organization, except where its rules differ. So transactions of one organization run one at a time, their reads stay valid,
 * and locks are always taken in one order: first the organization, then its rows. Organizations never wait for each other. The lock
 * also checks the fence, if that hasn't happened yet.
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
  // The same names, with functions of the same types.
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
