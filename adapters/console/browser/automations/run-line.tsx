import type { ComponentChildren } from "preact";
import type { AutomationRun } from "../../../../src/resources/automation-run.js";
import { Moment } from "../parts/events.js";
import { aboutRun, runStatuses } from "./words/runs.js";

interface RunLineProps {
  readonly run: AutomationRun;
  /** The name of the customer, or of the automation. */
  readonly children: ComponentChildren;
}

/** A run in a list: what came of it, and why. */
export function RunLine({ run, children }: RunLineProps) {
  const { text, tone } = runStatuses[run.status];
  const about = aboutRun(run);
  return (
    <li>
      <span class={`chip ${tone}`}>{text}</span>
      <span class="grow">
        {children}
        {about !== "" && <span class="quiet"> · {about}</span>}
      </span>
      <Moment at={run.updatedAt} />
    </li>
  );
}
