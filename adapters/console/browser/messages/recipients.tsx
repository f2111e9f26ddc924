import { useRef, useState } from "preact/hooks";
import type { Message } from "../../../../src/resources/message.js";
import type { MessageDelivery } from "../../../../src/resources/message-delivery.js";
import { CustomerLink, readNames } from "../customers/customer-link.js";
import { mailWords } from "../customers/mail-words.js";
import { Moment } from "../parts/events.js";
import { Select } from "../parts/field.js";
import { useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";
import { recipientFilters, recipients as words } from "../words/en/message-report.js";

const SIZE = 10;

type Shown = MessageDelivery["status"] | "";

/** Who has got a message, and who not and why. */
export function Recipients({ message }: { readonly message: Message }) {
  const { id, sums } = message;
  const [status, setStatus] = useState<Shown>("");
  const [page, setPage] = useState(0);
  const names = useRef(new Map<string, string | null>());
  // What has changed meanwhile shows in the sums.
  const deliveries = useLoad(`${id} ${status} ${page} ${JSON.stringify(sums)}`, async (calls) => {
    const found = await calls.messages.deliveries(id, {
      page,
      size: SIZE,
      ...(status !== "" && { status }),
    });
    const userIds = found.content.map(({ userId }) => userId);
    await readNames(calls, userIds, names.current);
    return found;
  });
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <Select
          class="narrow"
          aria-label={words.toShow}
          value={status}
          choices={recipientFilters}
          onChoose={(chosen) => {
            setStatus(chosen);
            setPage(0);
          }}
        />
      </div>
      <Loading of={deliveries} height="3rem" count={3}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{words.none}</p>}
            <ul class="history">
              {content.map((delivery) => (
                <Recipient
                  key={delivery.id}
                  delivery={delivery}
                  name={names.current.get(delivery.userId) ?? null}
                />
              ))}
            </ul>
            <Pager noun={words.noun} page={page} size={SIZE} total={totalElements} onPage={setPage} />
          </>
        )}
      </Loading>
    </section>
  );
}

interface RecipientProps {
  readonly delivery: MessageDelivery;
  /** `null` for somebody who is gone. */
  readonly name: string | null;
}

function Recipient({ delivery, name }: RecipientProps) {
  const { userId, channel, platform, updatedAt } = delivery;
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
        <CustomerLink id={userId} name={name} />
        <span class="quiet">
          {" "}
          · {how}
          {about !== "" && ` · ${about}`}
        </span>
      </span>
      <Moment at={updatedAt} />
    </li>
  );
}

const platforms = { apple: "Apple", google: "Google" } as const;
