import type { StorageAdapter } from "loyalty-kit";

/** Told the name of each call and what it is called with; decides whether and when it goes on. */
export type Interceptor = (
  method: string,
  proceed: () => Promise<unknown>,
  args: readonly unknown[],
) => Promise<unknown>;

/** The same object with its calls intercepted. */
export function intercepted<T extends object>(target: T, intercept: Interceptor): T {
  return new Proxy(target, {
    get(object, key) {
      const member: unknown = Reflect.get(object, key);
      if (typeof member !== "function") return member;
      // It looks at no row, and answers at once.
      if (key === "committedState") return member.bind(object);
      return (...args: unknown[]) =>
        intercept(String(key), async () => Reflect.apply(member, object, args), args);
    },
  });
}

/** A storage that notes the names of the calls made to it. Calls inside a transaction or a snapshot are not noted. */
export function noting(storage: StorageAdapter, calls: string[]): StorageAdapter {
  return intercepted(storage, (method, proceed) => {
    calls.push(method);
    return proceed();
  });
}

/** The same storage, but for how it runs transactions. */
export function withTransactions(
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
