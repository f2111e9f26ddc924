import type { StorageAdapter } from "loyalty-kit";
import type { SnapshotOptions, StorageReader } from "loyalty-kit/storage";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";

/**
 * Told the name of each call, what it is called with, and of which organization, where that is known; decides whether and when
 * it goes on.
 */
export type Interceptor = (
  method: string,
  proceed: () => Step<unknown>,
  args: readonly unknown[],
  organizationId: string | null,
) => Step<unknown>;

/** These methods of the port give a promise; all others give a step. */
export const promising: ReadonlySet<string> = new Set<keyof StorageAdapter>([
  "transaction",
  "snapshot",
  "purge",
  "close",
]);

/** The same storage, reader or transaction with its calls intercepted, and with those of its readers and its look-ups. */
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
      // It looks at no row, and answers at once.
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

/** The same storage with what is read in its snapshots intercepted. */
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

/** The value that a call comes to, through a step or a promise. */
function* runCall(call: () => unknown): Step<unknown> {
  const result = call();
  return isStep(result) ? yield* result : yield* awaitInStep(result);
}

function isStep(result: unknown): result is Step<unknown> {
  return typeof result === "object" && result !== null && Symbol.iterator in result && "next" in result;
}

/** A storage that notes the names of the calls made to it. Calls inside a transaction or a snapshot are not noted. */
export function recordCalls(storage: StorageAdapter, calls: string[]): StorageAdapter {
  return interceptCalls(storage, (method, proceed) => {
    calls.push(method);
    return proceed();
  });
}

/** The same storage, but for how it runs transactions. */
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
