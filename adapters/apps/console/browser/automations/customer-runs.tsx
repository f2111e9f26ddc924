import { useState } from "preact/hooks";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { runs as words } from "../words/en/automation-runs.js";
import { RunRow } from "./run-row.js";

const SIZE = 10;

/** Lists a customer's automation runs. They are loaded only after the user has clicked a button. */
export function CustomerRuns({ userId }: { readonly userId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="panel padded stack tight" aria-label={words.titleOfCustomer}>
      <div class="row spread">
        <h2>{words.titleOfCustomer}</h2>
        {!isOpen && <Button text={words.show} onClick={() => setOpen(true)} />}
      </div>
      {isOpen && <Runs userId={userId} />}
    </section>
  );
}

function Runs({ userId }: { readonly userId: string }) {
  const [page, setPage] = useState(0);
  const found = useLoad(`${userId} ${page}`, async (calls) => {
    const [runs, automations] = await Promise.all([
      calls.automations.ofUser(userId, { page, size: SIZE }),
      calls.automations.list(),
    ]);
    return { runs, names: new Map(automations.map(({ id, name }) => [id, name])) };
  });
  return (
    <Loading of={found} height="2.5rem" count={3}>
      {({ runs: { content, totalElements }, names }) => (
        <>
          {totalElements === 0 && <p class="quiet">{words.noneForCustomer}</p>}
          <ul class="history">
            {content.map((run) => (
              <RunRow key={run.id} run={run}>
                <AutomationName id={run.automationId} name={names.get(run.automationId)} />
              </RunRow>
            ))}
          </ul>
          <Pager noun={words.noun} page={page} size={SIZE} total={totalElements} onPage={setPage} />
        </>
      )}
    </Loading>
  );
}

function AutomationName({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  if (name === undefined) return <span class="quiet">{words.gone}</span>;
  return (
    <Link class="sample-name" to={`/automations/${encodeURIComponent(id)}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
