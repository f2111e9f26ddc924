import type { AutomationRun } from "../../../../src/resources/automation-run.js";
import type { AutomationTest } from "../../../../src/resources/automation-test.js";
import { aboutRuns, reasonText, trialOutcomes } from "../words/en/automation-runs.js";
import { mailReasons } from "../words/en/mails.js";

/** Adds details to the status of a run; empty without any. */
export function describeRun({ status, reason, actionIndex, dueAt }: AutomationRun): string {
  if (status === "WAITING") return aboutRuns.due(dueAt);
  if (reason === null) return "";
  const text = reasonText(reason);
  return actionIndex === null || reason === "gave_up" ? text : aboutRuns.atStep(actionIndex + 1, text);
}

/** The tone in which each status is shown. */
export const runTones: Readonly<Record<AutomationRun["status"], "good" | "warn" | "bad" | "">> = {
  WAITING: "warn",
  DONE: "good",
  SKIPPED: "",
  FAILED: "bad",
};

type Tried = AutomationTest["actions"][number];

/** Says what would become of one action: why it would be refused, or how a message would go out. */
export function describeTest({ reason, channels }: Tried): readonly string[] {
  if (reason !== null) return [reasonText(reason)];
  return (channels ?? []).map(({ channel, reason }) =>
    reason === null ? trialOutcomes.goesOut(channel) : trialOutcomes.doesNot(channel, mailReasons[reason]),
  );
}

/** Returns whether an action would be done; a message that goes out by no way would not. */
export const isRunnable = ({ reason, channels }: Tried): boolean =>
  reason === null && (channels === null || channels.some((channel) => channel.reason === null));
