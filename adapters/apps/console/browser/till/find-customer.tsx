import { useState } from "preact/hooks";
import { phoneNumber } from "../../../../../src/base/values/phone.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import { LoadError, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { nameOf } from "../customers/customer-name.js";
import { till as words } from "../words/en/till.js";

const TYPING_MS = 100;
const SHOWN = 8;

interface FindCustomerProps {
  readonly search: string;
  readonly onFound: (pass: WalletPassDetail, name: string) => void;
}

/** Lists the customers whose name, phone number, or email address matches the search. Each customer is listed with their cards. */
export function FindCustomer({ search, onFound }: FindCustomerProps) {
  const text = phoneNumber(search) ?? search.trim();
  const found = useLoad(text, (calls) => calls.contacts.list({ search: text, size: SHOWN }), TYPING_MS);
  const [chosen, setChosen] = useState<string | null>(null);
  if (found.error !== null) return <LoadError error={found.error} onRetry={found.reload} />;
  return (
    <div aria-live="polite">
      {found.value?.totalElements === 0 && <p class="note">{words.nobodyFound}</p>}
      <ul class="panel list found">
        {found.value?.content.map((contact) => (
          <li key={contact.id}>
            <button
              type="button"
              class="found-name"
              aria-expanded={chosen === contact.id}
              onClick={() => setChosen(chosen === contact.id ? null : contact.id)}
            >
              <strong>
                <bdi>{nameOf(contact)}</bdi>
              </strong>
              <bdi class="quiet">{contact.phone ?? contact.email}</bdi>
            </button>
            {chosen === contact.id && (
              <CustomerCards userId={contact.id} onFound={(pass) => onFound(pass, nameOf(contact))} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CardsOfProps {
  readonly userId: string;
  readonly onFound: (pass: WalletPassDetail) => void;
}

function CustomerCards({ userId, onFound }: CardsOfProps) {
  const passes = useLoad(userId, (calls) => calls.passes.ofUser(userId));
  return (
    <Loading data={passes} empty={<p class="quiet">{words.noCard}</p>}>
      {(all) => (
        <div class="row">
          {all.map((pass) => (
            <button key={pass.id} type="button" class="button" onClick={() => onFound(pass)}>
              <bdi>{pass.template.name}</bdi>
              {pass.stampProgress !== null && (
                <span class="number quiet">
                  {pass.stampProgress.currentStamps}/{pass.stampProgress.maxStamps}
                </span>
              )}
            </button>
          ))}
        </div>
      )}
    </Loading>
  );
}
