import { useEffect, useState } from "preact/hooks";
import type { Message, MessageSums } from "../../../../../src/messages/schema.js";
import { hasScopes } from "../api/session.js";
import { Link, syncQuery } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, Loading } from "../components/feedback.js";
import { Select } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { useInterval, useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { momentText } from "../words/en/forms.js";
import { statuses, statusFilters, sums as sumWords, messages as words } from "../words/en/messages.js";
import { isDue, isInProgress, sumSkipCounts, tones } from "./message-words.js";
import { Progress } from "./progress.js";

const PAGE_SIZE = 20;
const RELOAD_MS = 2_000;

type StatusFilter = Message["status"] | "";

/** Lists messages, newest first, each with its progress. */
export function MessagesScreen({ screenLocation }: ScreenProps) {
  const [status, setStatus] = useState<StatusFilter>(() => parseStatusFilter(screenLocation.query));
  const [page, setPage] = useState(0);
  const messages = useLoad(`${status} ${page}`, (calls) =>
    calls.messages.list({ page, size: PAGE_SIZE, ...(status !== "" && { status }) }),
  );
  useEffect(() => syncQuery({ status }), [status]);
  useInterval(RELOAD_MS, () => {
    if (messages.isLoading) return;
    if (messages.value?.content.some((message) => isInProgress(message) || isDue(message))) messages.reload();
  });
  return (
    <>
      <PageHead title={words.title}>
        <Select
          class="narrow"
          aria-label={words.toShow}
          value={status}
          choices={statusFilters}
          onChoose={(choice) => {
            setStatus(choice);
            setPage(0);
          }}
        />
        {hasScopes("message:send") && <NewMessage />}
      </PageHead>
      <Loading data={messages} height="4rem" count={4}>
        {({ content, totalElements }) =>
          totalElements === 0 ? (
            <EmptyList isFiltered={status !== ""} />
          ) : (
            <div class="stack">
              <ul class="panel list messages" aria-label={words.title}>
                {content.map((message) => (
                  <MessageRow key={message.id} message={message} />
                ))}
              </ul>
              <Pager noun={words.noun} page={page} size={PAGE_SIZE} total={totalElements} onPage={setPage} />
            </div>
          )
        }
      </Loading>
    </>
  );
}

function parseStatusFilter(query: URLSearchParams): StatusFilter {
  return statusFilters.find(([status]) => status === query.get("status"))?.[0] ?? "";
}

function NewMessage() {
  return (
    <Link class="button primary" to="/messages/new">
      <Icon name="plus" /> {words.fresh}
    </Link>
  );
}

function EmptyList({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty isPanel title={words.noneSuch} />;
  return (
    <Empty isPanel title={words.none} {...(hasScopes("message:send") && { action: <NewMessage /> })}>
      {words.noneHint}
    </Empty>
  );
}

function MessageRow({ message }: { readonly message: Message }) {
  const { id, name, status, sums } = message;
  return (
    <li>
      <div class="grow">
        <Link class="sample-name" to={`/messages/${encodeURIComponent(id)}`}>
          <bdi>{name}</bdi>
        </Link>
        <p class="quiet">{describeTime(message)}</p>
      </div>
      {sums !== null && (
        <div class="sums">
          <p class="number">{formatSums(sums)}</p>
          {isInProgress(message) && <Progress sums={sums} />}
        </div>
      )}
      <span class={`chip ${tones[status]}`}>{statuses[status]}</span>
    </li>
  );
}

/** Describes when a message starts, was last changed, or started, depending on its status. */
function describeTime({ status, sendAt, startedAt, completedAt, updatedAt }: Message): string {
  if (status === "SCHEDULED") return sendAt === null ? words.beginsSoon : words.begins(sendAt);
  if (status === "DRAFT") return words.changed(updatedAt);
  return momentText(startedAt ?? completedAt ?? updatedAt);
}

/** Summarizes the counts, for example "1,204 of 1,342 customers reached · 30 failed · 96 not sent · 12 remaining". They add up. */
function formatSums({ recipients, customers, ...sums }: MessageSums): string {
  const { accepted, failed, skipped, pending, sending } = sums;
  // A customer who gets a message on the card and by email counts twice.
  const unit = recipients === customers ? "customers" : "deliveries";
  const parts = [
    [accepted, (count: number) => sumWords.sent(count, recipients, unit)],
    [failed, sumWords.failed],
    [sumSkipCounts(skipped), sumWords.notSent],
    [pending + sending, sumWords.toGo],
  ] as const;
  const shownParts = parts.filter(([count], at) => count > 0 || at === 0);
  return shownParts.map(([count, text]) => text(count)).join(" · ");
}
