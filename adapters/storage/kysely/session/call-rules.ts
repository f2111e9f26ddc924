import type { Step } from "../../../../src/base/concurrency/step.js";

/** Rules for calling a function of the storage port. */
export interface PortCallRules {
  /**
   * The row that the call locks in a transaction. For `endpoint` and `wallet queue`, the function's own statements lock the row. To
   * prevent deadlocks, always lock the organization before an endpoint or a wallet queue. Default: `organization`.
   */
  readonly locks?: "organization" | "endpoint" | "wallet queue" | "none";
  /**
   * Whether the function reads rows that a transaction buffers until it ends. If so, the buffered rows are written before the call.
   */
  readonly readsBuffered?: boolean;
  /**
   * Whether the function runs several statements that must see the same committed state. If so, it runs in a snapshot when called
   * outside a transaction.
   */
  readonly needsSnapshot?: boolean;
}

/** A function of the port, with any context. */
type PortFunction = (...args: never[]) => Step<unknown>;

const rulesByFunction = new WeakMap<PortFunction, PortCallRules>();

/**
 * Assigns rules to a function.
 * @returns the same function.
 */
export function withRules<Run extends PortFunction>(rules: PortCallRules, run: Run): Run {
  rulesByFunction.set(run, rules);
  return run;
}

/** Returns a function's rules. Rules that weren't assigned have their default values. */
export function getRules(run: PortFunction): Required<PortCallRules> {
  return { locks: "organization", readsBuffered: false, needsSnapshot: false, ...rulesByFunction.get(run) };
}
