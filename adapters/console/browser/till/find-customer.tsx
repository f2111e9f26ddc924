import { useState } from "preact/hooks";
import type { Contact } from "../../../../src/resources/contact.js";
import type { Page } from "../../../../src/resources/page.js";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { get } from "../app/call.js";
import { nameOf } from "../customers/contact-list.js";
import { useLoad } from "../parts/load.js";
import { Failed } from "../parts/states.js";

const TYPING_MS = 100;
const SHOWN = 8;

interface FindCustomerProps {
  readonly search: string;
  readonly onFound: (pass: WalletPassDetail) => void;
}

/** The customers that a name, phone or email leads to, and the cards of each. */
export function FindCustomer({ search, onFound }: FindCustomerProps) {
  const text = search.trim();
  const found = useLoad<Page<Contact>>(
    text,
    (signal) => get(`/v1/contacts?${new URLSearchParams({ search: text, size: String(SHOWN) })}`, signal),
    TYPING_MS,
  );
  const [chosen, setChosen] = useState<string | null>(null);
  if (found.error !== null) return <Failed error={found.error} onRetry={found.reload} />;
  return (
    <div aria-live="polite">
      {found.value?.totalElements === 0 && <p class="note">Nobody found, and no card has this code.</p>}
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
              <bdi class="quiet">{contact.phone ?? shownEmail(contact.email)}</bdi>
            </button>
            {chosen === contact.id && <CardsOf userId={contact.id} onFound={onFound} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

function CardsOf({
  userId,
  onFound,
}: {
  readonly userId: string;
  readonly onFound: FindCustomerProps["onFound"];
}) {
  const passes = useLoad<WalletPassDetail[]>(userId, (signal) => get(`/v1/users/${userId}/passes`, signal));
  if (passes.error !== null) return <Failed error={passes.error} onRetry={passes.reload} />;
  if (passes.value?.length === 0) return <p class="quiet">No card.</p>;
  return (
    <div class="row">
      {passes.value?.map((pass) => (
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
  );
}
