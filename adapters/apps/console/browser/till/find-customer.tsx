import { useEffect, useState } from "preact/hooks";
import { phoneNumber } from "../../../../../src/base/values/phone.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import { LoadError, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { till as words } from "../words/en/till.js";

const TYPING_MS = 100;
const MAX_RESULTS = 8;

interface FindCustomerProps {
  readonly search: string;
  /** Whether to select a customer who is the only match, as soon as that is known. */
  readonly shouldSelectOnly: boolean;
  readonly onFound: (pass: WalletPassDetail, name: string) => void;
}

/** Lists the customers whose name, phone number, or email address matches the search. Selecting a customer shows their cards. */
export function FindCustomer({ search, shouldSelectOnly, onFound }: FindCustomerProps) {
  const text = phoneNumber(search) ?? search.trim();
  const results = useLoad(
    text,
    (calls) => calls.contacts.list({ search: text, size: MAX_RESULTS }),
    TYPING_MS,
  );
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [first, ...others] = results.value?.content ?? [];
  const onlyId = results.isLoading || others.length > 0 ? undefined : first?.id;
  useEffect(() => {
    if (shouldSelectOnly && onlyId !== undefined) setSelectedId(onlyId);
  }, [shouldSelectOnly, onlyId]);
  if (results.error !== null) return <LoadError error={results.error} onRetry={results.reload} />;
  return (
    <div aria-live="polite">
      {results.value?.totalElements === 0 && <p class="note">{words.nobodyFound}</p>}
      <ul class="panel list found">
        {results.value?.content.map((contact) => (
          <li key={contact.id}>
            <button
              type="button"
              class="found-name"
              aria-expanded={selectedId === contact.id}
              onClick={() => setSelectedId(selectedId === contact.id ? null : contact.id)}
            >
              <strong>
                <bdi>{formatCustomerName(contact)}</bdi>
              </strong>
              {(contact.phone !== null || contact.name !== null) && (
                <bdi class="quiet">{contact.phone ?? contact.email}</bdi>
              )}
            </button>
            {selectedId === contact.id && (
              <CustomerCards
                userId={contact.id}
                onFound={(pass) => onFound(pass, formatCustomerName(contact))}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CustomerCardsProps {
  readonly userId: string;
  readonly onFound: (pass: WalletPassDetail) => void;
}

/** Lists a customer's cards to choose from. A single card is chosen immediately. */
function CustomerCards({ userId, onFound }: CustomerCardsProps) {
  const passes = useLoad(userId, (calls) => calls.passes.ofUser(userId));
  const [first, ...others] = passes.value ?? [];
  const only = others.length === 0 ? first : undefined;
  useEffect(() => {
    if (only !== undefined) onFound(only);
  }, [only]);
  if (only !== undefined) return null;
  return (
    <Loading data={passes} empty={<p class="quiet">{words.noCard}</p>}>
      {(cards) => (
        <div class="row">
          {cards.map((pass) => (
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
