import { useEffect, useState } from "preact/hooks";
import { may } from "../api/session.js";
import { go, keepInAddress } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../parts/button.js";
import { DialogButton } from "../parts/dialog.js";
import { TextInput } from "../parts/field.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Empty, Loading } from "../parts/states.js";
import { counted, numberText } from "../parts/words.js";
import { BulkTags } from "./bulk-tags.js";
import { type ContactQuery, contactsFrom, inAddress, PAGE_SIZE, queryIn } from "./contact-list.js";
import { ContactTable } from "./contact-table.js";
import { CustomerForm } from "./customer-form.js";
import { Export } from "./export.js";
import { Import } from "./import.js";
import { SegmentFilter } from "./segment-filter.js";
import { StampFilter } from "./stamp-filter.js";

const TYPING_MS = 80;

/** Finds customers, adds them, and gives tags to many. */
export function CustomersScreen({ place }: ScreenProps) {
  const [query, setQuery] = useState(() => queryIn(place.query));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const contacts = useLoad(JSON.stringify(query), (calls) => contactsFrom(calls, query), TYPING_MS);
  const templates = useLoad("templates", async (calls) =>
    may("template:read") ? calls.templates.list() : [],
  );
  const segments = useLoad("segments", async (calls) => (may("segment:read") ? calls.segments.list() : []));
  useEffect(() => keepInAddress(inAddress(query)), [query]);
  const change = (part: Partial<ContactQuery>) => setQuery((before) => ({ ...before, page: 0, ...part }));

  return (
    <>
      <PageHead title="Customers">
        {may("user:create") && (
          <DialogButton
            text="Import"
            dialog={(close) => <Import onClose={close} onDone={contacts.reload} />}
          />
        )}
        <DialogButton
          text="Export"
          dialog={(close) => (
            <Export query={query} total={contacts.value?.totalElements ?? 0} onClose={close} />
          )}
        />
        {may("user:create") && (
          <DialogButton
            icon="plus"
            text="Add customer"
            kind="primary"
            dialog={(close) => (
              <CustomerForm
                customer={null}
                onClose={close}
                onSaved={({ id }) => go(`/customers/${encodeURIComponent(id)}`)}
              />
            )}
          />
        )}
      </PageHead>
      <div class="stack">
        <div class="row">
          <div class="search grow">
            <Icon name="search" />
            <TextInput
              type="search"
              aria-label="Search customers"
              placeholder="Name, email, phone or id"
              maxLength={254}
              value={query.search}
              onText={(search) => change({ search, segment: "" })}
            />
          </div>
          <StampFilter query={query} templates={templates.value ?? []} onChange={change} />
          <SegmentFilter query={query} segments={segments.value ?? []} onChange={change} />
        </div>
        {selected.size > 0 && <BulkTags userIds={[...selected]} onDone={() => setSelected(new Set())} />}
        <Loading of={contacts} height="3rem" count={8}>
          {({ content, totalElements, totalPages }) =>
            totalElements === 0 ? (
              <Nobody query={query} onChange={change} />
            ) : (
              <>
                <ContactTable
                  contacts={content}
                  templates={templates.value ?? []}
                  sort={query.sort}
                  selected={selected}
                  onSort={(sort) => change({ sort })}
                  onSelect={setSelected}
                />
                <div class="row spread">
                  <p class="quiet number" aria-live="polite">
                    {numberText(query.page * PAGE_SIZE + 1)}–
                    {numberText(Math.min((query.page + 1) * PAGE_SIZE, totalElements))} of{" "}
                    {counted(totalElements, "customer")}
                  </p>
                  <div class="row">
                    <Button
                      text="Previous"
                      disabled={query.page === 0}
                      onClick={() => change({ page: query.page - 1 })}
                    />
                    <Button
                      text="Next"
                      disabled={query.page + 1 >= totalPages}
                      onClick={() => change({ page: query.page + 1 })}
                    />
                  </div>
                </div>
              </>
            )
          }
        </Loading>
      </div>
    </>
  );
}

interface NobodyProps {
  readonly query: ContactQuery;
  readonly onChange: (part: Partial<ContactQuery>) => void;
}

/** The notice for a list without customers. */
function Nobody({ query, onChange }: NobodyProps) {
  const isNarrowed = query.search.trim() !== "" || query.templateId !== "" || query.segment !== "";
  const showAll = () => onChange({ search: "", segment: "", templateId: "", minStamps: "", maxStamps: "" });
  return (
    <div class="panel">
      {isNarrowed ? (
        <Empty title="Nobody found" action={<Button text="Show all" onClick={showAll} />}>
          {query.segment === ""
            ? "No name, email, phone or id has this in it."
            : "Nobody is in this segment now."}
        </Empty>
      ) : (
        <Empty title="No customers yet">
          Add one, import a CSV file, or print the poster of a card for them to join by.
        </Empty>
      )}
    </div>
  );
}
