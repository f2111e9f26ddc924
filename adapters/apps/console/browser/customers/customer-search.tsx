import { useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import { LoadError } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { customerSearch as words } from "../words/en/customer-search.js";
import { findAddress, formatCustomerName } from "./customer-name.js";

const TYPING_MS = 100;
const MAX_RESULTS = 6;

interface CustomerSearchProps {
  readonly label: string;
  readonly onFound: (customer: Contact) => void;
}

/** A search field that finds a customer by name, email address, or phone number. */
export function CustomerSearch({ label, onFound }: CustomerSearchProps) {
  const [search, setSearch] = useState("");
  const text = search.trim();
  const results = useLoad(
    text,
    async (calls) => (text === "" ? null : calls.contacts.list({ search: text, size: MAX_RESULTS })),
    TYPING_MS,
  );
  const choose = (customer: Contact) => {
    setSearch("");
    onFound(customer);
  };
  return (
    <div class="stack tight">
      <TextField
        label={label}
        hint={words.hint}
        type="search"
        autocomplete="off"
        maxLength={254}
        value={search}
        onText={setSearch}
      />
      {results.error !== null && <LoadError error={results.error} onRetry={results.reload} />}
      <div aria-live="polite">
        {text !== "" && results.value?.totalElements === 0 && <p class="quiet">{words.nobodyFound}</p>}
        {text !== "" && (
          <ul class="panel list found">
            {results.value?.content.map((customer) => (
              <li key={customer.id}>
                <button type="button" class="found-name" onClick={() => choose(customer)}>
                  <strong>
                    <bdi>{formatCustomerName(customer)}</bdi>
                  </strong>
                  <bdi class="quiet">
                    {findAddress(customer) ?? (customer.email === null ? words.noAddress : "")}
                  </bdi>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
