import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { runStatuses } from "../words/en/automation-runs.js";
import { automations as words } from "../words/en/automations.js";
import { numberText } from "../words/en/forms.js";

const RELOAD_MS = 10_000;

const countedStatuses = ["DONE", "WAITING", "SKIPPED", "FAILED"] as const;

/** Shows how many of an automation's runs have each status. Only runs that are still stored are counted. */
export function RunNumbers({ automationId }: { readonly automationId: string }) {
  const numbers = useLoad(automationId, (calls) =>
    Promise.all(
      countedStatuses.map(async (status) => {
        const { totalElements } = await calls.automations.runs(automationId, { status, size: 1 });
        return [status, totalElements] as const;
      }),
    ),
  );
  useInterval(RELOAD_MS, () => {
    if (!numbers.isLoading) numbers.reload();
  });
  return (
    <section class="panel padded stack" aria-label={words.numbers}>
      <h2>{words.numbers}</h2>
      <Loading data={numbers} height="4rem">
        {(counts) => (
          <dl class="big-numbers">
            {counts.map(([status, count]) => (
              <div key={status} class="big-number">
                <dt>{runStatuses[status]}</dt>
                <dd class="number">{numberText(count)}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loading>
    </section>
  );
}
