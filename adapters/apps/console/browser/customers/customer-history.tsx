import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Page } from "../../../../../src/base/page.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Choices } from "../components/choices.js";
import { Loading } from "../components/feedback.js";
import { Select } from "../components/field.js";
import { useInterval, useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { CustomerLink, loadCustomerNames } from "./customer-link.js";

/** A history entry about a customer. */
interface Entry {
  readonly id: string;
  readonly userId: string;
  readonly status: string;
}

/** A page of history entries, optionally limited to one status. */
interface HistoryQuery<Status> {
  readonly page: number;
  readonly size: number;
  readonly status?: Status;
}

interface CustomerHistoryProps<Item extends Entry> {
  /** Identifies the history. When this value changes, the entries are loaded again. */
  readonly historyKey: string;
  readonly words: { readonly title: string; readonly toShow: string; readonly noun: string };
  readonly hint?: string;
  readonly statuses: Choices<Item["status"] | "">;
  readonly size: number;
  /** How often to reload the newest entries, in milliseconds. Default: never. */
  readonly reloadMs?: number;
  readonly readPage: (calls: OrganizationCalls, query: HistoryQuery<Item["status"]>) => Promise<Page<Item>>;
  /**
   * Returns the text shown if there are no entries.
   * @param isFiltered whether the list is filtered by status.
   */
  readonly emptyText: (isFiltered: boolean) => string;
  /**
   * Renders an entry.
   * @param customer a link to the customer the entry is about.
   */
  readonly children: (item: Item, customer: ComponentChildren) => ComponentChildren;
}

/** Lists one kind of history entry for all customers, newest first, one page at a time. Each entry shows the customer's name. */
export function CustomerHistory<Item extends Entry>(props: CustomerHistoryProps<Item>) {
  const { historyKey, words, hint, statuses, size, reloadMs, readPage, emptyText, children } = props;
  const [status, setStatus] = useState<Item["status"] | "">("");
  const [page, setPage] = useState(0);
  const names = useRef(new Map<string, string | null>());
  const history = useLoad(`${historyKey} ${status} ${page}`, async (calls) => {
    const items = await readPage(calls, { page, size, ...(status !== "" && { status }) });
    const userIds = items.content.map(({ userId }) => userId);
    await loadCustomerNames(calls, userIds, names.current);
    return items;
  });
  useInterval(reloadMs, () => {
    if (page === 0 && !history.isLoading) history.reload();
  });
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <Select
          class="narrow"
          aria-label={words.toShow}
          value={status}
          choices={statuses}
          onChoose={(choice) => {
            setStatus(choice);
            setPage(0);
          }}
        />
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Loading data={history} height="2.75rem" count={4}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{emptyText(status !== "")}</p>}
            <ul class="history">
              {content.map((item) =>
                children(
                  item,
                  <CustomerLink id={item.userId} name={names.current.get(item.userId) ?? null} />,
                ),
              )}
            </ul>
            <Pager noun={words.noun} page={page} size={size} total={totalElements} onPage={setPage} />
          </>
        )}
      </Loading>
    </section>
  );
}
