import { useId } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import { Link } from "../app/router.js";
import { useLoad } from "../components/load.js";
import { runStatuses } from "../words/en/automation-runs.js";
import { automations as words } from "../words/en/automations.js";
import { momentText } from "../words/en/forms.js";
import type { Names } from "../words/en/segment-phrases.js";
import { automationText } from "./automation-sentences.js";
import { AutomationSwitch } from "./automation-switch.js";

interface AutomationLineProps {
  readonly automation: Automation;
  readonly names: Names;
  readonly onChanged: () => void;
}

/**
 * A row in the list of automations. Shows what the automation does and how often it has run, and has a switch to enable or disable
 * it.
 */
export function AutomationRow({ automation, names, onChanged }: AutomationLineProps) {
  const { id, name, updatedAt } = automation;
  const label = useId();
  const newest = useLoad(`${id} ${updatedAt}`, (calls) => calls.automations.runs(id, { size: 1 }));
  const [last] = newest.value?.content ?? [];
  return (
    <li class="automation-line">
      <Link class="sample-name" to={`/automations/${encodeURIComponent(id)}`}>
        <bdi id={label}>{name}</bdi>
      </Link>
      <div class="said stack tight">
        <p>
          <bdi>{automationText(automation, names)}</bdi>
        </p>
        {newest.value !== null && (
          <p class="quiet">
            {last === undefined
              ? words.noRuns
              : `${words.runsOf(newest.value.totalElements)}, ${words.last(momentText(last.updatedAt), runStatuses[last.status])}`}
          </p>
        )}
      </div>
      <AutomationSwitch automation={automation} labelledBy={label} onChanged={onChanged} />
    </li>
  );
}
