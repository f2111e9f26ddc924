import { useState } from "preact/hooks";
import type { User } from "../../../../../src/customers/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import type { ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { Loading } from "../components/feedback.js";
import { Select } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { CustomerScreen } from "../customers/customer-screen.js";
import { useFilterOptions } from "../segments/filter-options.js";
import { WhyDialog } from "../segments/why-dialog.js";
import { runs as words } from "../words/en/automation-runs.js";
import { why } from "../words/en/segment-explanations.js";
import { RunRow } from "./run-row.js";

const PAGE_SIZE = 10;

const runScopes = ["automation:manage", "user:read", "user_tag:read", "pass:read"] as const;

/** The screen for one customer, including the customer's segments and automation runs. */
export function CustomerDetailScreen({ screenLocation }: ScreenProps) {
  return (
    <CustomerScreen
      screenLocation={screenLocation}
      renderDetails={(customer) => (
        <>
          {hasScopes("segment:read") && <CustomerSegments customer={customer} />}
          {runScopes.every((scope) => hasScopes(scope)) && <CustomerRuns userId={customer.id} />}
        </>
      )}
    />
  );
}

/** Lists a customer's automation runs. They are loaded only after the user has clicked a button. */
function CustomerRuns({ userId }: { readonly userId: string }) {
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
  const loaded = useLoad(`${userId} ${page}`, async (calls) => {
    const [runs, automations] = await Promise.all([
      calls.automations.ofUser(userId, { page, size: PAGE_SIZE }),
      calls.automations.list(),
    ]);
    return { runs, names: new Map(automations.map(({ id, name }) => [id, name])) };
  });
  return (
    <Loading data={loaded} height="2.5rem" count={3}>
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
          <Pager noun={words.noun} page={page} size={PAGE_SIZE} total={totalElements} onPage={setPage} />
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

/** Lets the user choose a segment and then explains why the customer is or isn't in it. */
function CustomerSegments({ customer }: { readonly customer: User }) {
  const lists = useFilterOptions();
  const [chosenSlug, setChosenSlug] = useState<string | null>(null);
  const segments = lists.value?.segments ?? [];
  const segment = segments.find(({ slug }) => slug === chosenSlug);
  if (lists.value === null || segments.length === 0) return null;
  return (
    <section class="panel padded stack" aria-label={why.panel}>
      <h2>{why.panel}</h2>
      <p class="quiet">{why.hint}</p>
      <Select
        aria-label={why.choose}
        value=""
        choices={[["", why.choose], ...segments.map(({ slug, name }) => [slug, name] as const)]}
        onChoose={(slug) => setChosenSlug(slug === "" ? null : slug)}
      />
      {segment !== undefined && (
        <WhyDialog
          segment={segment}
          customer={customer}
          lists={lists.value}
          onClose={() => setChosenSlug(null)}
        />
      )}
    </section>
  );
}
