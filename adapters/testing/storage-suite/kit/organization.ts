import type { Step } from "../../../../src/base/concurrency/step.js";
import type { StorageAdapter, StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { Rows } from "./rows.js";

/** The methods of {@link Rows}. Each call runs in its own transaction. */
type RowBuilders = {
  readonly [Name in Exclude<keyof Rows, "id" | "tx">]: Rows[Name] extends (
    ...args: infer Args
  ) => Step<infer Added>
    ? (...args: Args) => Promise<Added>
    : never;
};

class TransactionPerCall {
  constructor(
    private readonly storage: StorageAdapter,
    readonly id: string,
  ) {}

  /** Runs `work` in a transaction of its own. */
  write<T>(work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.storage.transaction(this.id, work);
  }

  /** Returns builders for the same organization's rows that use the given transaction. */
  withTransaction(tx: StorageTransaction): Rows {
    return new Rows(this.id, tx);
  }
}

for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Rows.prototype))) {
  if (name === "constructor") continue;
  Object.defineProperty(TransactionPerCall.prototype, name, {
    value(this: TransactionPerCall, ...args: unknown[]) {
      return this.write((tx) => value.apply(this.withTransaction(tx), args));
    },
  });
}

/** An organization in a test store, with methods that add records to it. Each call runs in its own transaction. */
export type SuiteOrganization = TransactionPerCall & RowBuilders;

// The type assertion is valid because the loop above adds every method of Rows.
export const SuiteOrganization = TransactionPerCall as new (
  storage: StorageAdapter,
  id: string,
) => SuiteOrganization;
