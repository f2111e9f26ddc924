import type { Step } from "../../../src/concurrency/step.js";

/** Rules for calling a function of the port. */
export interface PortCallRules {
  /**
   * The row that the call locks in a transaction. Default: `organization`. Calls with `endpoint` or `wallet queue` lock that row in
   * their own statements. Lock the organization before an endpoint or wallet queue, never after, or two transactions may deadlock.
   */
  readonly locks?: "organization" | "endpoint" | "wallet queue" | "none";
  /** True if the function reads rows that a transaction buffers until its end. They are written before the call. */
  readonly readsPending?: boolean;
  /**
   * True if the function runs several statements that must see one committed state. Outside a transaction, it then runs in a
   * snapshot.
   */
  readonly isOneState?: boolean;
}

/** A function of the port, with any context. */
type PortFunction = (...args: never[]) => Step<unknown>;

const rulesByFunction = new WeakMap<PortFunction, PortCallRules>();

/** Assigns rules to a function and returns the function itself. */
export function withRules<Run extends PortFunction>(rules: PortCallRules, run: Run): Run {
  rulesByFunction.set(run, rules);
  return run;
}

/** Returns a function's rules, completed with the defaults. */
export function getRules(run: PortFunction): Required<PortCallRules> {
  return { locks: "organization", readsPending: false, isOneState: false, ...rulesByFunction.get(run) };
}
