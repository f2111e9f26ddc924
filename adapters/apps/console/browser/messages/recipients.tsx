import type { ComponentChildren } from "preact";
import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import type { Message } from "../../../../../src/messages/schema.js";
import { RelativeTime } from "../components/events.js";
import { CustomerHistory } from "../customers/customer-history.js";
import { mailWords } from "../customers/mail-words.js";
import { recipientFilters, recipients as words } from "../words/en/message-report.js";

const SIZE = 10;

/** Lists a message's recipients, including skipped customers and why they were skipped. */
export function Recipients({ message: { id, sums } }: { readonly message: Message }) {
  return (
    <CustomerHistory<MessageDelivery>
      // The sums change whenever a delivery does, which reloads the list.
      of={`${id} ${JSON.stringify(sums)}`}
      words={words}
      statuses={recipientFilters}
      size={SIZE}
      read={(calls, query) => calls.messages.deliveries(id, query)}
      none={() => words.none}
    >
      {(delivery, customer) => (
        <Recipient key={delivery.id} delivery={delivery}>
          {customer}
        </Recipient>
      )}
    </CustomerHistory>
  );
}

interface RecipientProps {
  readonly delivery: MessageDelivery;
  /** The customer's name. */
  readonly children: ComponentChildren;
}

function Recipient({ delivery, children }: RecipientProps) {
  const { channel, platform, updatedAt } = delivery;
  const { state, tone, about } = mailWords(delivery);
  const how =
    channel === "email"
      ? words.byMail
      : platform === null
        ? words.onCard
        : words.onCardIn(platforms[platform]);
  return (
    <li>
      <span class={`chip ${tone}`}>{state}</span>
      <span class="grow">
        {children}
        <span class="quiet">
          {" "}
          · {how}
          {about !== "" && ` · ${about}`}
        </span>
      </span>
      <RelativeTime at={updatedAt} />
    </li>
  );
}

const platforms = { apple: "Apple", google: "Google" } as const;
