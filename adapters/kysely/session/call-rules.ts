import type { Step } from "../../../src/concurrency/step.js";

/** The rules that a function of the port keeps when it is called. */
export interface PortCallRules {
  /**
   * The row that the call locks in a transaction. Default: `organization`. The statements of `endpoint` and `wallet queue` calls
   * lock their row themselves. Lock order: the organization before an endpoint or wallet queue, never after, or two transactions
   * deadlock.
   */
  readonly locks?: "organization" | "endpoint" | "wallet queue" | "none";
  /** True when it reads rows that a transaction writes only at its end: they are written before the call. */
  readonly readsPending?: boolean;
  /** True when its several statements have to see one committed state: outside a transaction it runs in a snapshot. */
  readonly isOneState?: boolean;
}

/** A function of the port, on whatever it runs. */
type PortFunction = (...args: never[]) => Step<unknown>;

const rulesByFunction = new WeakMap<PortFunction, PortCallRules>();

/** Gives a function its rules, and returns the function itself. */
export function withRules<Run extends PortFunction>(rules: PortCallRules, run: Run): Run {
  rulesByFunction.set(run, rules);
  return run;
}

/** Returns the rules of a function, with those that it was not given. */
export function getRules(run: PortFunction): Required<PortCallRules> {
  return { locks: "organization", readsPending: false, isOneState: false, ...rulesByFunction.get(run) };
}
