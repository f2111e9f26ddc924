import { useEffect, useState } from "preact/hooks";
import type { Template } from "../../../../src/resources/template.js";
import { get } from "../app/call.js";
import { go, keepInAddress } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { counted, numberText } from "../parts/words.js";
import { BulkTags } from "./bulk-tags.js";
import { type ContactQuery, inAddress, loadContacts, PAGE_SIZE, queryIn } from "./contact-list.js";
import { ContactTable } from "./contact-table.js";
import { CustomerForm } from "./customer-form.js";
import { Export } from "./export.js";
import { Import } from "./import.js";
import { StampFilter } from "./stamp-filter.js";

const TYPING_MS = 80;

/** Finds customers, adds them, and gives tags to many. */
export function CustomersScreen({ place }: ScreenProps) {
  const [query, setQuery] = useState(() => queryIn(place.query));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<"add" | "import" | "export" | null>(null);
  const contacts = useLoad(JSON.stringify(query), (signal) => loadContacts(query, signal), TYPING_MS);
  const templates = useLoad<Template[]>("templates", async (signal) =>
    may("template:read") ? get("/v1/templates", signal) : [],
  );
  useEffect(() => keepInAddress(inAddress(query)), [query]);
  const change = (part: Partial<ContactQuery>) => setQuery((before) => ({ ...before, page: 0, ...part }));
  const page = contacts.value;
  const isNarrowed = query.search.trim() !== "" || query.templateId !== "";

  return (
    <>
      <PageHead title="Customers">
        {may("user:create") && <Button onClick={() => setDialog("import")}>Import</Button>}
        <Button onClick={() => setDialog("export")}>Export</Button>
        {may("user:create") && (
          <Button kind="primary" onClick={() => setDialog("add")}>
            <Icon name="plus" /> Add customer
          </Button>
        )}
      </PageHead>
      <div class="stack">
        <div class="row">
          <div class="search grow">
            <Icon name="search" />
            <input
              type="search"
              aria-label="Search customers"
              placeholder="Name, email, phone or id"
              maxLength={254}
              value={query.search}
              onInput={(event) => change({ search: event.currentTarget.value })}
            />
          </div>
          <StampFilter query={query} templates={templates.value ?? []} onChange={change} />
        </div>
        {contacts.error !== null && <Failed error={contacts.error} onRetry={contacts.reload} />}
        {selected.size > 0 && <BulkTags userIds={[...selected]} onDone={() => setSelected(new Set())} />}
        {page === null ? (
          contacts.error === null && <Skeleton height="3rem" count={8} />
        ) : page.totalElements === 0 ? (
          <div class="panel">
            <Empty
              title={isNarrowed ? "Nobody found" : "No customers yet"}
              action={
                isNarrowed && (
                  <Button
                    onClick={() => change({ search: "", templateId: "", minStamps: "", maxStamps: "" })}
                  >
                    Show all
                  </Button>
                )
              }
            >
              {isNarrowed
                ? "No name, email, phone or id has this in it."
                : "Add one, import a CSV file, or print the poster of a card for them to join by."}
            </Empty>
          </div>
        ) : (
          <>
            <ContactTable
              contacts={page.content}
              templates={templates.value ?? []}
              sort={query.sort}
              selected={selected}
              onSort={(sort) => change({ sort })}
              onSelect={setSelected}
            />
            <div class="row spread">
              <p class="quiet number" aria-live="polite">
                {numberText(query.page * PAGE_SIZE + 1)}–
                {numberText(Math.min((query.page + 1) * PAGE_SIZE, page.totalElements))} of{" "}
                {counted(page.totalElements, "customer")}
              </p>
              <div class="row">
                <Button disabled={query.page === 0} onClick={() => change({ page: query.page - 1 })}>
                  Previous
                </Button>
                <Button
                  disabled={query.page + 1 >= page.totalPages}
                  onClick={() => change({ page: query.page + 1 })}
                >
                  Next
                </Button>
              </div>
            </div>
          </>
        )}
      </div>
      {dialog === "add" && (
        <CustomerForm
          customer={null}
          onClose={() => setDialog(null)}
          onSaved={(user) => go(`/customers/${encodeURIComponent(user.id)}`)}
        />
      )}
      {dialog === "import" && <Import onClose={() => setDialog(null)} onDone={contacts.reload} />}
      {dialog === "export" && (
        <Export query={query} total={page?.totalElements ?? 0} onClose={() => setDialog(null)} />
      )}
    </>
  );
}
