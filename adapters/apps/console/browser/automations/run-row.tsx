import type { ComponentChildren } from "preact";
import type { AutomationRun } from "../../../../../src/automations/run-schema.js";
import { RelativeTime } from "../components/events.js";
import { runStatuses } from "../words/en/automation-runs.js";
import { describeRun, runTones } from "./run-texts.js";

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
