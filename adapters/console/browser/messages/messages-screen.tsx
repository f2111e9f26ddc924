import { useEffect, useState } from "preact/hooks";
import type { Message } from "../../../../src/resources/message.js";
import { may } from "../api/session.js";
import { keepInAddress, Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import type { Choices } from "../parts/choices.js";
import { Select } from "../parts/field.js";
import { Icon } from "../parts/icons.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Empty, Loading } from "../parts/states.js";
import { momentText } from "../words/en/forms.js";
import { isDue, isMoving, statuses, sumsText } from "./message-words.js";
import { Progress } from "./progress.js";

const SIZE = 20;
const RELOAD_MS = 2_000;

type Shown = Message["status"] | "";

const filters: Choices<Shown> = [
  ["", "All messages"],
  ["DRAFT", "Drafts"],
  ["SCHEDULED", "Scheduled"],
  ["SENDING", "Being sent"],
  ["SENT", "Sent"],
  ["CANCELLED", "Cancelled"],
  ["EXPIRED", "Not sent in time"],
];

/** The messages, newest first, with how far each has come. */
export function MessagesScreen({ place }: ScreenProps) {
  const [status, setStatus] = useState<Shown>(() => shownIn(place.query));
  const [page, setPage] = useState(0);
  const messages = useLoad(`${status} ${page}`, (calls) =>
    calls.messages.list({ page, size: SIZE, ...(status !== "" && { status }) }),
  );
  useEffect(() => keepInAddress({ status }), [status]);
  useEvery(RELOAD_MS, () => {
    if (messages.isLoading) return;
    if (messages.value?.content.some((message) => isMoving(message) || isDue(message))) messages.reload();
  });
  return (
    <>
      <PageHead title="Messages">
        <Select
          class="narrow"
          aria-label="Messages to show"
          value={status}
          choices={filters}
          onChoose={(chosen) => {
            setStatus(chosen);
            setPage(0);
          }}
        />
        {may("message:send") && <NewMessage />}
      </PageHead>
      <Loading of={messages} height="4rem" count={4}>
        {({ content, totalElements }) =>
          totalElements === 0 ? (
            <Nothing isNarrowed={status !== ""} />
          ) : (
            <div class="stack">
              <ul class="panel list messages" aria-label="Messages">
                {content.map((message) => (
                  <Line key={message.id} message={message} />
                ))}
              </ul>
              <Pager noun="messages" page={page} size={SIZE} total={totalElements} onPage={setPage} />
            </div>
          )
        }
      </Loading>
    </>
  );
}

function shownIn(query: URLSearchParams): Shown {
  return filters.find(([status]) => status === query.get("status"))?.[0] ?? "";
}

function NewMessage() {
  return (
    <Link class="button primary" to="/messages/new">
      <Icon name="plus" /> New message
    </Link>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }) {
  if (isNarrowed) return <Empty isPanel title="No such messages" />;
  return (
    <Empty isPanel title="No messages yet" {...(may("message:send") && { action: <NewMessage /> })}>
      Write to your customers by mail and on the card in their wallet, to all of them or to some.
    </Empty>
  );
}

function Line({ message }: { readonly message: Message }) {
  const { id, name, status, sums } = message;
  const { text, tone } = statuses[status];
  return (
    <li>
      <div class="grow">
        <Link class="sample-name" to={`/messages/${encodeURIComponent(id)}`}>
          <bdi>{name}</bdi>
        </Link>
        <p class="quiet">{whenText(message)}</p>
      </div>
      {sums !== null && (
        <div class="sums">
          <p class="number">{sumsText(sums)}</p>
          {isMoving(message) && <Progress sums={sums} />}
        </div>
      )}
      <span class={`chip ${tone}`}>{text}</span>
    </li>
  );
}

/** Says when a message was made, or begins, or began. */
function whenText({ status, sendAt, startedAt, completedAt, updatedAt }: Message): string {
  if (status === "SCHEDULED") return sendAt === null ? "begins soon" : `begins ${momentText(sendAt)}`;
  if (status === "DRAFT") return `changed ${momentText(updatedAt)}`;
  return momentText(startedAt ?? completedAt ?? updatedAt);
}
