import type { AutomationRun, AutomationTest } from "../../../../../src/automations/run-schema.js";
import { aboutRuns, reasonText, trialOutcomes } from "../words/en/automation-runs.js";
import { mailReasons } from "../words/en/mails.js";

/**
 * Explains a run's status: when a waiting run is due, or why a run was skipped or failed. Returns an empty string if there is
 * nothing to explain.
 */
export function describeRun({ status, reason, actionIndex, dueAt }: AutomationRun): string {
  if (status === "WAITING") return aboutRuns.due(dueAt);
  if (reason === null) return "";
  const text = reasonText(reason);
  return actionIndex === null || reason === "gave_up" ? text : aboutRuns.atStep(actionIndex + 1, text);
}

/** The chip color for each run status. */
export const runTones: Readonly<Record<AutomationRun["status"], "good" | "warn" | "bad" | "">> = {
  WAITING: "warn",
  DONE: "good",
  SKIPPED: "",
  FAILED: "bad",
};

type ActionTest = AutomationTest["actions"][number];

/**
 * Describes the test result for an action. For a message, returns one line per channel. If the action would be rejected, returns
 * only the reason. For any other action, returns an empty array.
 */
export function describeTest({ reason, channels }: ActionTest): readonly string[] {
  if (reason !== null) return [reasonText(reason)];
  return (channels ?? []).map(({ channel, reason }) =>
    reason === null ? trialOutcomes.goesOut(channel) : trialOutcomes.doesNot(channel, mailReasons[reason]),
  );
}

/** Returns whether an action would be performed. For a message, this means that it could be sent on at least one channel. */
export const isRunnable = ({ reason, channels }: ActionTest): boolean =>
  reason === null && (channels === null || channels.some((channel) => channel.reason === null));
