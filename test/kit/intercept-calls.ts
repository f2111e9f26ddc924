import type { StorageAdapter } from "loyalty-kit";
import type { SnapshotOptions, StorageReader } from "loyalty-kit/storage";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";

/**
 * Called with the name, the arguments and, if known, the organization of each call. It decides whether and when the
 * call proceeds.
 */
export type Interceptor = (
  method: string,
  proceed: () => Step<unknown>,
  args: readonly unknown[],
  organizationId: string | null,
) => Step<unknown>;

/** Methods of the port that return a promise. All others return a step. */
export const promising: ReadonlySet<string> = new Set<keyof StorageAdapter>([
  "transaction",
  "snapshot",
  "purge",
  "close",
]);

/**
 * Returns the same storage, reader or transaction with its calls intercepted, including the calls of its readers and of `all`.
 */
export function interceptCalls<T extends object>(
  target: T,
  intercept: Interceptor,
  organizationId: string | null = null,
): T {
  return new Proxy(target, {
    get(object, key) {
      const member: unknown = Reflect.get(object, key);
      if (key === "all" && typeof member === "object" && member !== null)
        return interceptCalls(member, intercept);
      if (typeof member !== "function") return member;
      if (key === "reader") {
        return (id: string) => interceptCalls<object>(Reflect.apply(member, object, [id]), intercept, id);
      }
      // It reads no row, and returns synchronously.
      if (key === "committedState") return member.bind(object);
      return (...args: unknown[]) => {
        const call = intercept(
          String(key),
          () => runCall(() => Reflect.apply(member, object, args)),
          args,
          organizationId,
        );
        return promising.has(String(key)) ? runStep(call) : call;
      };
    },
  });
}

/** Returns the same storage with the reads in its snapshots intercepted. */
export function interceptSnapshots(storage: StorageAdapter, intercept: Interceptor): StorageAdapter {
  return new Proxy(storage, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (key !== "snapshot") return typeof member === "function" ? member.bind(target) : member;
      return (
        organizationId: string,
        work: (reader: StorageReader) => Step<unknown>,
        options?: SnapshotOptions,
      ) =>
        target.snapshot(
          organizationId,
          (reader) => work(interceptCalls(reader, intercept, organizationId)),
          options,
        );
    },
  });
}

/** Returns the result of a call, whether it is returned directly, in a step or in a promise. */
function* runCall(call: () => unknown): Step<unknown> {
  const result = call();
  return isStep(result) ? yield* result : yield* awaitInStep(result);
}

function isStep(result: unknown): result is Step<unknown> {
  return typeof result === "object" && result !== null && Symbol.iterator in result && "next" in result;
}

/** Returns a storage that records the names of the calls to it, except those inside a transaction or a snapshot. */
export function recordCalls(storage: StorageAdapter, calls: string[]): StorageAdapter {
  return interceptCalls(storage, (method, proceed) => {
    calls.push(method);
    return proceed();
  });
}

/** Returns the same storage with another way to run transactions. */
export function replaceTransactions(
  storage: StorageAdapter,
  transaction: StorageAdapter["transaction"],
): StorageAdapter {
  return new Proxy(storage, {
    get(target, key) {
      if (key === "transaction") return transaction;
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
