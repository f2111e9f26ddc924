import type { StorageAdapter } from "loyalty-kit";
import { intercepted, withTransactions } from "../kit/intercepted.js";

/** What a call inside a transaction fails with, where a test wants it to. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** Whether the failing call does its work first. */
export type Moment = "before" | "after";

/** A storage whose transactions fail where they are told to. The end of a transaction's work counts as its last call. */
export class FailingStorage {
  private left = Number.POSITIVE_INFINITY;
  private moment: Moment = "before";
  readonly storage: StorageAdapter;

  constructor(inner: StorageAdapter) {
    this.storage = withTransactions(inner, (work) =>
      inner.transaction(async (tx) => {
        const result = await work(intercepted(tx, (_method, proceed) => this.call(proceed)));
        await this.call(async () => {});
        return result;
      }),
    );
  }

  /** Lets the n-th call from now on fail, counted from 1. */
  failAt(call: number, moment: Moment): void {
    this.left = call;
    this.moment = moment;
  }

  /** True when the failing call is still to come. */
  get isArmed(): boolean {
    return this.left > 0;
  }

  private async call<T>(proceed: () => Promise<T>): Promise<T> {
    this.left -= 1;
    const fails = this.left === 0;
    if (fails && this.moment === "before") throw new Fault("before the call");
    const result = await proceed();
    if (fails) throw new Fault("after the call");
    return result;
  }
}
