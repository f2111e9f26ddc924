import { setActiveTimeout } from "../../../../src/base/concurrency/timeout.js";
import { unavailable } from "../../../../src/base/errors.js";
import type { ManagedTransaction, OpenTransaction } from "../../../../src/storage/storage-adapter.js";

/** The last call on each host transaction. The next call begins after it. The promises never reject. */
const lastCalls = new WeakMap<OpenTransaction, Promise<void>>();

/** Number of running and waiting calls, by host transaction. */
const openCallCounts = new WeakMap<OpenTransaction, number>();

/** Resolves when all calls begun on a host transaction have ended. */
async function waitForCalls(host: OpenTransaction): Promise<void> {
  await lastCalls.get(host);
}

/**
 * Checks that no calls on the host transaction are running or waiting.
 * @throws {TypeError} if a call hasn't finished.
 */
export function assertNoOpenCalls(host: OpenTransaction): void {
  if ((openCallCounts.get(host) ?? 0) > 0)
    throw new TypeError("an earlier call on this transaction wasn't awaited");
}

/**
 * Runs a call on a host transaction once all earlier calls on it have finished.
 * @throws the call's error.
 */
export function runOnHost<T>(host: OpenTransaction, task: () => Promise<T>): Promise<T> {
  const previous = lastCalls.get(host) ?? Promise.resolve();
  openCallCounts.set(host, (openCallCounts.get(host) ?? 0) + 1);
  const call = previous
    .then(task)
    .finally(() => openCallCounts.set(host, (openCallCounts.get(host) ?? 1) - 1));
  lastCalls.set(host, call.then(ignore, ignore));
  return call;
}

function ignore(): void {}

/**
 * Runs a host's work in a managed transaction, then waits for any calls that the work started on the transaction but didn't
 * await.
 * @throws the error from `work`.
 * @throws {LoyaltyError} `storage_unavailable` if the work takes longer than `timeoutMs`.
 */
export async function runManagedWork<Client, T>(
  tx: ManagedTransaction<Client>,
  work: (tx: ManagedTransaction<Client>) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  let cancel = () => {};
  const timeout = new Promise<never>((_, reject) => {
    const createTimeoutError = () =>
      new Error(`the managed transaction was still in use after ${timeoutMs} ms`);
    cancel = setActiveTimeout(timeoutMs, () => {
      reject(unavailable("slow", createTimeoutError()));
    });
  });
  try {
    return await Promise.race([waitForWork(tx, work), timeout]);
  } finally {
    cancel();
  }
}

async function waitForWork<Client, T>(
  tx: ManagedTransaction<Client>,
  work: (tx: ManagedTransaction<Client>) => Promise<T>,
): Promise<T> {
  try {
    return await work(tx);
  } finally {
    // A call that was not awaited must not be interrupted halfway.
    await waitForCalls(tx);
  }
}
