import type { StorageAdapter } from "loyalty-kit";
import { awaitInStep, type Step } from "../../src/base/concurrency/step.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";

/** The error of a call in a transaction that a test lets fail. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** Whether the call fails before or after it does its work. */
export type FailurePoint = "before" | "after";

/** A storage whose transactions fail where the test wants. The end of the work counts as its last call. */
export class FailingStorage {
  private remainingCalls = Number.POSITIVE_INFINITY;
  private failurePoint: FailurePoint = "before";
  readonly storage: StorageAdapter;

  constructor(inner: StorageAdapter) {
    const runCall = <T>(proceed: () => Step<T>) => this.callOrFail(proceed);
    this.storage = replaceTransactions(inner, (organizationId, work) =>
      inner.transaction(organizationId, function* (tx) {
        const result = yield* work(interceptCalls(tx, (_method, proceed) => runCall(proceed)));
        yield* runCall(() => awaitInStep(undefined));
        return result;
      }),
    );
  }

  /** Makes the n-th call from now on fail, counted from 1. */
  failAt(call: number, failurePoint: FailurePoint): void {
    this.remainingCalls = call;
    this.failurePoint = failurePoint;
  }

  /** True when the failing call is still to come. */
  get isArmed(): boolean {
    return this.remainingCalls > 0;
  }

  private *callOrFail<T>(proceed: () => Step<T>): Step<T> {
    this.remainingCalls -= 1;
    const fails = this.remainingCalls === 0;
    if (fails && this.failurePoint === "before") throw new Fault("before the call");
    try {
      return yield* proceed();
    } finally {
      // Replaces its result, which may be a conflict.
      if (fails) throwAfterCall();
    }
  }
}

function throwAfterCall(): never {
  throw new Fault("after the call");
}
