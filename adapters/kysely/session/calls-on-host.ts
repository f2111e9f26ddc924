import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";

/** The last call on each host's transaction, which the next one begins after. None rejects. */
const last = new WeakMap<OpenTransaction, Promise<void>>();

/** How many have not ended. */
const underWay = new WeakMap<OpenTransaction, number>();

/** Resolves when the calls that were begun on a host's transaction have ended. */
export async function callsOn(host: OpenTransaction): Promise<void> {
  await last.get(host);
}

/** @throws {TypeError} when a call on a host's transaction has not ended. */
export function assertNoneOn(host: OpenTransaction): void {
  if ((underWay.get(host) ?? 0) > 0) throw new TypeError("a call on this transaction was not awaited");
}

/** Makes a call when those before it have ended. @throws what the call throws. */
export function callOn<T>(host: OpenTransaction, task: () => Promise<T>): Promise<T> {
  const before = last.get(host) ?? Promise.resolve();
  underWay.set(host, (underWay.get(host) ?? 0) + 1);
  const call = before.then(task).finally(() => underWay.set(host, (underWay.get(host) ?? 1) - 1));
  last.set(host, call.then(ignore, ignore));
  return call;
}

function ignore(): void {}
