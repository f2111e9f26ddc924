import type { Step } from "../../../../src/base/concurrency/step.js";

/** Rules for how a function of the storage port must be called. */
export interface PortCallRules {
  /**
   * The row that the call locks in a transaction. For `endpoint` and `wallet queue`, the function's own statements lock the row.
   * Always lock the organization before an endpoint or a wallet queue, because two transactions may deadlock otherwise. Default:
   * `organization`.
   */
  readonly locks?: "organization" | "endpoint" | "wallet queue" | "none";
  /** Whether the function reads rows that a transaction buffers until it ends. The buffered rows are written before the call. */
  readonly readsPending?: boolean;
  /**
   * Whether the function runs several statements that must see the same committed state. Outside a transaction, the function then
   * runs in a snapshot.
   */
  readonly isOneState?: boolean;
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

/** Returns a function's rules, with defaults filled in. */
export function getRules(run: PortFunction): Required<PortCallRules> {
  return { locks: "organization", readsPending: false, isOneState: false, ...rulesByFunction.get(run) };
}
