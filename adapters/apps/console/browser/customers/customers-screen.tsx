import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { CallError } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import { Link, navigate, syncQuery } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { buildCodeMenuItems } from "../components/code-dialog.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import { Check, TextInput } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { usePhone } from "../components/use-phone.js";
import { customers as words } from "../words/en/customers.js";
import { BulkTags } from "./bulk-tags.js";
import { type ColumnName, loadColumns, saveColumns, visibleColumns } from "./columns.js";
import { ContactTable } from "./contact-table.js";
import { CustomerForm } from "./customer-form.js";
import { Export } from "./export.js";
import { countFilters, noFilter, pickSource } from "./list-filter.js";
import { FilterDialog, ListFilters } from "./list-filters.js";
import {
  buildListCall,
  type CustomerListQuery,
  loadVisibleContacts,
  PAGE_SIZE,
  parseQuery,
  toQueryParams,
  updateQuery,
} from "./list-query.js";

const TYPING_MS = 80;

const noLists = { templates: [], segments: [], tags: [] };

/** Props for the message that describes the active filter and offers to remove it or save it. */
export interface ActiveFilterProps {
  readonly query: CustomerListQuery;
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
  /** Called with the new segment's slug after the filter has been saved. */
  readonly onSaved: (slug: string) => void;
}

interface CustomersScreenProps extends ScreenProps {
  /** Renders the message about the active filter, which is shown above the list. */
  readonly renderActiveFilter: (props: ActiveFilterProps) => ComponentChildren;
}

/** Shows the customer list, and lets the user search it, add customers, and tag them. */
export function CustomersScreen({ screenLocation, renderActiveFilter }: CustomersScreenProps) {
  const [query, setQuery] = useState(() => parseQuery(screenLocation.query));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [chosenColumns, setChosenColumns] = useState(loadColumns);
  const contacts = useLoad(JSON.stringify(query), (calls) => loadVisibleContacts(calls, query), TYPING_MS);
  const lists = useLoad("lists", async (calls) => {
    const [templates, segments, tags] = await Promise.all([
      hasScopes("template:read") ? calls.templates.list() : [],
      hasScopes("segment:read") ? calls.segments.list() : [],
      hasScopes("user_tag:read") ? calls.tags.list() : [],
    ]);
    return { templates, segments, tags };
  });
  const { templates, segments, tags } = lists.value ?? noLists;
  useEffect(() => syncQuery(toQueryParams(query)), [query]);
  const change = (part: Partial<CustomerListQuery>) => setQuery((previous) => updateQuery(previous, part));

  const contactList = contacts.value?.content ?? [];
  const total = contacts.value?.totalElements ?? 0;
  const isPhone = usePhone();
  const filterCount = countFilters(query);
  const filters = { query, templates, tags, segments, onChange: change };
  const renderColumnChooser = (close: () => void) => (
    <ColumnChooser
      selected={chosenColumns}
      onClose={close}
      onChange={(next) => {
        setChosenColumns(next);
        saveColumns(next);
      }}
    />
  );
  // Memoized, so that typing in the search field doesn't render the table for each key.
  const table = useMemo(
    () =>
      contacts.value && (
        <ContactTable
          contacts={contacts.value.content}
          columns={visibleColumns.filter((name) => chosenColumns.includes(name))}
          templates={templates}
          tags={tags}
          sort={query.sort}
          selected={selected}
          onSort={(sort) => change({ sort })}
          onSelect={setSelected}
        />
      ),
    [contacts.value, chosenColumns, templates, tags, query.sort, selected],
  );
  const isWholePage = contactList.length > 0 && contactList.every(({ id }) => selected.has(id));

  return (
    <>
      <PageHead title={words.title}>
        <ListActions
          query={query}
          total={total}
          isPhone={isPhone}
          columnChooser={renderColumnChooser}
          onImported={contacts.reload}
        />
      </PageHead>
      <div class="stack contact-list">
        <div class="row list-filters">
          <div class="search grow">
            <Icon name="search" />
            <TextInput
              type="search"
              aria-label={words.search}
              placeholder={words.searchExample}
              maxLength={254}
              value={query.search}
              onText={(search) => change({ search })}
            />
          </div>
          {isPhone ? (
            <DialogButton
              icon="segments"
              text={filterCount === 0 ? words.filter : words.filterCount(filterCount)}
              dialog={(close) => <FilterDialog {...filters} total={total} onClose={close} />}
            />
          ) : (
            <>
              <ListFilters {...filters} />
              <DialogButton text={words.columns.title} dialog={renderColumnChooser} />
            </>
          )}
        </div>
        {renderActiveFilter({
          query,
          onChange: change,
          onSaved: (segment) => {
            lists.reload();
            change({ ...noFilter, segment });
          },
        })}
        {selected.size > 0 && (
          <BulkTags
            userIds={[...selected]}
            query={query}
            total={total}
            hasMore={isWholePage && total > contactList.length}
            onDone={() => {
              setSelected(new Set());
              contacts.reload();
            }}
          />
        )}
        <Loading data={contacts} height="3rem" count={8}>
          {({ totalElements, totalPages }) =>
            totalElements === 0 ? (
              <EmptyCustomerList query={query} onChange={change} />
            ) : (
              <div class={contacts.error === null ? "stack" : "stack stale"}>
                {table}
                <div class="row spread">
                  <p class="quiet number" aria-live="polite">
                    {words.range(
                      query.page * PAGE_SIZE + 1,
                      Math.min((query.page + 1) * PAGE_SIZE, totalElements),
                      totalElements,
                    )}
                  </p>
                  <div class="row">
                    <Button
                      text={words.previous}
                      disabled={query.page === 0}
                      onClick={() => change({ page: query.page - 1 })}
                    />
                    <Button
                      text={words.next}
                      disabled={query.page + 1 >= totalPages}
                      onClick={() => change({ page: query.page + 1 })}
                    />
                  </div>
                </div>
              </div>
            )
          }
        </Loading>
      </div>
    </>
  );
}

interface NobodyProps {
  readonly query: CustomerListQuery;
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** Message for an empty customer list. */
function EmptyCustomerList({ query, onChange }: NobodyProps) {
  const isFiltered = pickSource(query) !== "contacts";
  const isNarrowed = isFiltered || query.search.trim() !== "" || query.templateId !== "";
  return (
    <div class="panel">
      {isNarrowed ? (
        <Empty
          title={words.nobodyFound}
          action={<Button text={words.showAll} onClick={() => onChange({ ...noFilter, search: "" })} />}
        >
          {isFiltered ? words.nobodyLikeThis : words.nobodyNamedSo}
        </Empty>
      ) : (
        <Empty
          title={words.none}
          action={hasScopes("user:create") && <DialogButton icon="plus" kind="primary" {...addCustomer} />}
        >
          {words.noneHint}
        </Empty>
      )}
    </div>
  );
}

interface ColumnChooserProps {
  readonly selected: readonly ColumnName[];
  readonly onChange: (chosen: readonly ColumnName[]) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the customer list's columns. The choice is stored in this browser. */
function ColumnChooser({ selected, onChange, onClose }: ColumnChooserProps) {
  return (
    <Dialog title={words.columns.title} onClose={onClose}>
      <fieldset class="plain stack tight">
        <legend class="label">{words.columns.beside}</legend>
        {visibleColumns.map((name) => (
          <Check
            key={name}
            isChecked={selected.includes(name)}
            onChange={(isOn) =>
              onChange(isOn ? [...selected, name] : selected.filter((each) => each !== name))
            }
          >
            {words.columns[name]}
          </Check>
        ))}
      </fieldset>
      <p class="hint">{words.columns.kept}</p>
      <div class="actions">
        <Button text={words.columns.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

const addCustomer = {
  text: words.add,
  dialog: (close: () => void) => (
    <CustomerForm
      customer={null}
      onClose={close}
      onSaved={({ id }) => navigate(`/customers/${encodeURIComponent(id)}`)}
    />
  ),
};

interface ListActionsProps {
  readonly query: CustomerListQuery;
  /** Number of customers in the list, across all pages. */
  readonly total: number;
  readonly isPhone: boolean;
  readonly columnChooser: (close: () => void) => ComponentChildren;
  readonly onImported: () => void;
}

/** Actions on the whole customer list, such as importing and exporting: buttons, or one menu on phones. */
function ListActions({ query, total, isPhone, columnChooser, onImported }: ListActionsProps) {
  const canCreate = hasScopes("user:create");
  const canReadTags = hasScopes("user_tag:read");
  const codeItems = buildCodeMenuItems(buildListCall(query));
  const transfers: readonly Required<Pick<MenuItem, "text" | "dialog">>[] = [
    ...(canCreate
      ? [
          {
            text: words.import,
            dialog: (close: () => void) => <LoadedImport onClose={close} onDone={onImported} />,
          },
        ]
      : []),
    ...(hasScopes("user:read") && canReadTags
      ? [
          {
            text: words.export,
            dialog: (close: () => void) => <Export query={query} total={total} onClose={close} />,
          },
        ]
      : []),
  ];
  if (isPhone) {
    const items: readonly MenuItem[] = [
      ...(canCreate ? [addCustomer] : []),
      ...transfers,
      { text: words.columns.title, dialog: columnChooser },
      ...(canReadTags ? [{ text: words.tags, run: () => navigate("/tags") }] : []),
      ...codeItems,
    ];
    return <Menu label={words.moreOfList} items={items} />;
  }
  return (
    <>
      {canReadTags && (
        <Link class="button" to="/tags">
          {words.tags}
        </Link>
      )}
      {transfers.map(({ text, dialog }) => (
        <DialogButton key={text} text={text} dialog={dialog} />
      ))}
      {codeItems.length > 0 && <Menu label={words.moreOfList} items={codeItems} />}
      {canCreate && <DialogButton icon="plus" kind="primary" {...addCustomer} />}
    </>
  );
}

/** The dialog that imports customers. Its code is loaded only when the dialog opens. */
function LoadedImport(props: { readonly onClose: () => void; readonly onDone: () => void }) {
  const code = useLoad("code", loadImport);
  return <Loading data={code}>{({ Import }) => <Import {...props} />}</Loading>;
}

/** @throws {CallError} if the server can't be reached. */
async function loadImport() {
  try {
    const { Import } = await import("./import.js");
    return { Import };
  } catch {
    throw new CallError(0, null);
  }
}
