import type { ComponentChildren } from "preact";
import type { AutomationRun, AutomationTest } from "../../../../../src/automations/run-schema.js";
import { RelativeTime } from "../components/events.js";
import { aboutRuns, reasonText, runStatuses, trialOutcomes } from "../words/en/automation-runs.js";
import { mailReasons } from "../words/en/mails.js";

interface RunRowProps {
  readonly run: AutomationRun;
  /** The name of the customer or the automation. */
  readonly children: ComponentChildren;
}

/** A row in a list of runs. Shows the run's status and the reason for it. */
export function RunRow({ run, children }: RunRowProps) {
  const explanation = describeRun(run);
  return (
    <li>
      <span class={`chip ${runTones[run.status]}`}>{runStatuses[run.status]}</span>
      <span class="grow">
        {children}
        {explanation !== "" && <span class="quiet"> · {explanation}</span>}
      </span>
      <RelativeTime at={run.updatedAt} />
    </li>
  );
}

/**
 * Explains a run's status: when a waiting run is due, or why a run was skipped or failed. Returns an empty string if there is
 * nothing to explain.
 */
function describeRun({ status, reason, actionIndex, dueAt }: AutomationRun): string {
  if (status === "WAITING") return aboutRuns.due(dueAt);
  if (reason === null) return "";
  const text = reasonText(reason);
  return actionIndex === null || reason === "gave_up" ? text : aboutRuns.atStep(actionIndex + 1, text);
}

/** The chip color for each run status. */
const runTones: Readonly<Record<AutomationRun["status"], "good" | "warn" | "bad" | "">> = {
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
