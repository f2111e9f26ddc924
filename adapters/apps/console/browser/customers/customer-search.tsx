import { useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import { LoadError } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { customerSearch as words } from "../words/en/customer-search.js";
import { nameOf } from "./customer-name.js";

const TYPING_MS = 100;
const SHOWN = 6;

interface CustomerSearchProps {
  readonly label: string;
  readonly onFound: (customer: Contact) => void;
}

/** A search field that finds a customer by name, email address, or phone number. */
export function CustomerSearch({ label, onFound }: CustomerSearchProps) {
  const [search, setSearch] = useState("");
  const text = search.trim();
  const found = useLoad(
    text,
    async (calls) => (text === "" ? null : calls.contacts.list({ search: text, size: SHOWN })),
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
      {found.error !== null && <LoadError error={found.error} onRetry={found.reload} />}
      <div aria-live="polite">
        {text !== "" && found.value?.totalElements === 0 && <p class="quiet">{words.nobodyFound}</p>}
        {text !== "" && (
          <ul class="panel list found">
            {found.value?.content.map((customer) => (
              <li key={customer.id}>
                <button type="button" class="found-name" onClick={() => choose(customer)}>
                  <strong>
                    <bdi>{nameOf(customer)}</bdi>
                  </strong>
                  <bdi class="quiet">{customer.email ?? customer.phone ?? words.noAddress}</bdi>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
