import type { StorageAdapter } from "loyalty-kit";
import { awaitInStep, type Step } from "../../src/base/concurrency/step.js";
import { interceptCalls, replaceTransactions } from "../kit/intercepted.js";

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
    const call = <T>(proceed: () => Step<T>) => this.call(proceed);
    this.storage = replaceTransactions(inner, (work) =>
      inner.transaction(function* (tx) {
        const result = yield* work(interceptCalls(tx, (_method, proceed) => call(proceed)));
        yield* call(() => awaitInStep(undefined));
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

  private *call<T>(proceed: () => Step<T>): Step<T> {
    this.left -= 1;
    const fails = this.left === 0;
    if (fails && this.moment === "before") throw new Fault("before the call");
    try {
      return yield* proceed();
    } finally {
      // In the place of what it came to, which may be a conflict.
      if (fails) failAfter();
    }
  }
}

function failAfter(): never {
  throw new Fault("after the call");
}
