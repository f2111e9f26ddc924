import { useRef, useState } from "preact/hooks";
import type { AutomationRun } from "../../../../src/resources/automation-run.js";
import { CustomerLink, readNames } from "../customers/customer-link.js";
import { Select } from "../parts/field.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";
import { runFilters, runs as words } from "../words/en/automation-runs.js";
import { RunLine } from "./run-line.js";

const SIZE = 20;
const RELOAD_MS = 10_000;

type Shown = AutomationRun["status"] | "";

/** The runs of an automation, newest first: for whom, what came of it, and why. */
export function RunList({ automationId }: { readonly automationId: string }) {
  const [status, setStatus] = useState<Shown>("");
  const [page, setPage] = useState(0);
  const names = useRef(new Map<string, string | null>());
  const found = useLoad(`${automationId} ${status} ${page}`, async (calls) => {
    const query = { page, size: SIZE, ...(status !== "" && { status }) };
    const runs = await calls.automations.runs(automationId, query);
    const userIds = runs.content.map(({ userId }) => userId);
    await readNames(calls, userIds, names.current);
    return runs;
  });
  useEvery(RELOAD_MS, () => {
    if (page === 0 && !found.isLoading) found.reload();
  });
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <Select
          class="narrow"
          aria-label={words.toShow}
          value={status}
          choices={runFilters}
          onChoose={(chosen) => {
            setStatus(chosen);
            setPage(0);
          }}
        />
      </div>
      <p class="hint">{words.hint}</p>
      <Loading of={found} height="2.5rem" count={4}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{status === "" ? words.none : words.noneSuch}</p>}
            <ul class="history">
              {content.map((run) => (
                <RunLine key={run.id} run={run}>
                  <CustomerLink id={run.userId} name={names.current.get(run.userId) ?? null} />
                </RunLine>
              ))}
            </ul>
            <Pager noun={words.noun} page={page} size={SIZE} total={totalElements} onPage={setPage} />
          </>
        )}
      </Loading>
    </section>
  );
}
