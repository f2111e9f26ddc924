import type { AutomationRun } from "../../../../../src/automations/run-schema.js";
import type { AutomationTest } from "../../../../../src/automations/test-schema.js";
import { aboutRuns, reasonText, trialOutcomes } from "../words/en/automation-runs.js";
import { mailReasons } from "../words/en/mails.js";

/** Returns details about a run's status, or an empty string if there are none. */
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

type Tried = AutomationTest["actions"][number];

/**
 * Describes what an action would do, as lines of text. If the action would be refused, the only line is the reason. For a message,
 * there is one line per channel. For any other action, the list is empty.
 */
export function describeTest({ reason, channels }: Tried): readonly string[] {
  if (reason !== null) return [reasonText(reason)];
  return (channels ?? []).map(({ channel, reason }) =>
    reason === null ? trialOutcomes.goesOut(channel) : trialOutcomes.doesNot(channel, mailReasons[reason]),
  );
}

/** Returns whether an action would run. A message counts as run only if it could be sent on at least one channel. */
export const isRunnable = ({ reason, channels }: Tried): boolean =>
  reason === null && (channels === null || channels.some((channel) => channel.reason === null));
