import type { AutomationRun } from "../../../../../src/automations/run-schema.js";
import { CustomerHistory } from "../customers/customer-history.js";
import { runFilters, runs as words } from "../words/en/automation-runs.js";
import { RunRow } from "./run-row.js";

const SIZE = 20;
const RELOAD_MS = 10_000;

/** Lists an automation's runs, newest first. Each row shows the customer, the run's status, and the reason for that status. */
export function RunList({ automationId }: { readonly automationId: string }) {
  return (
    <CustomerHistory<AutomationRun>
      of={automationId}
      words={words}
      hint={words.hint}
      statuses={runFilters}
      size={SIZE}
      reloadMs={RELOAD_MS}
      read={(calls, query) => calls.automations.runs(automationId, query)}
      none={(isFiltered) => (isFiltered ? words.noneSuch : words.none)}
    >
      {(run, customer) => (
        <RunRow key={run.id} run={run}>
          {customer}
        </RunRow>
      )}
    </CustomerHistory>
  );
}
