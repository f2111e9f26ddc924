import { useEffect, useRef, useState } from "preact/hooks";
import type { Actor } from "../../../../../src/access/actor-schema.js";
import { type EventType, eventTypes } from "../../../../../src/base/event-types.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampEntry } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { type ActorNames, describeNamedActor, loadStaffNames } from "../components/actor-names.js";
import { Button } from "../components/button.js";
import { describeEvent } from "../components/event-words.js";
import { type EventFeed, emptyFeed, loadMoreEvents, RelativeTime } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { type LoadedData, useInterval, useLoad } from "../components/load.js";
import { history as words } from "../words/en/customer.js";
import { events, events as eventsWords } from "../words/en/events.js";
import { mailKinds, mails as mailsWords } from "../words/en/mails.js";
import { mailWords } from "./mail-words.js";
import { emptySource, mergeEntries, type PagedSource, type ReadPage, readPages } from "./merge-pages.js";

/** Number of timeline entries per page. */
const PAGE = 20;

/** Maximum number of cards whose stamps and emails the timeline includes. Each page takes up to two requests per card. */
const MOST_CARDS = 12;

/** Event types that don't appear in a ledger. Stamps and rewards do. */
const besideLedgers: readonly EventType[] = eventTypes.filter(
  (type) => !/^(stamp|stamp_card|reward)\./.test(type),
);

/** How soon a delivery's next attempt must be due for the delivery to be reloaded, in milliseconds. */
const SOON_MS = 60_000;

const RELOAD_MS = 2_000;

/** Maximum number of listed events per customer. */
const MOST_EVENTS = 2_000;

interface TimelineProps {
  readonly customer: User;
  readonly passes: readonly WalletPassDetail[];
  /** A number that changes after each action on the screen, so that the timeline is reloaded. */
  readonly turn: number;
}

/**
 * Shows a customer's history, newest first, one page at a time. Events from the event log can take longer to load and are added
 * when they arrive.
 */
export function Timeline({ customer, passes, turn }: TimelineProps) {
  const { id } = customer;
  const [page, setPage] = useState(0);
  const [again, setAgain] = useState(0);
  const state = `${id} ${turn} ${again} ${passes.map((pass) => pass.id).join(" ")}`;
  const kept = useRef<{
    readonly state: string;
    readonly sources: readonly PagedSource<TimelineEntry>[];
  } | null>(null);
  const cards = useLoad(`${state} ${page}`, async (calls) => {
    const readers = createReaders(calls, passes);
    const before = kept.current?.state === state ? kept.current.sources : readers.map(() => emptySource);
    const sources = await readPages(before, readers, (page + 1) * PAGE + 1);
    kept.current = { state, sources };
    return sources;
  });
  const log: LoadedData<EventFeed> = useLoad(`${id} ${turn}`, async (calls) => {
    return hasScopes("webhook:manage")
      ? loadMoreEvents(log.value ?? emptyFeed, logQuery(id), calls, { maxEvents: MOST_EVENTS })
      : emptyFeed;
  });
  const names = useLoad("names", loadStaffNames);
  // Go back to the first page, because new entries appear there.
  useEffect(() => setPage(0), [turn]);

  const sources = cards.value ?? [];
  const told = {
    entries: log.value === null ? [] : entriesOfLog(customer, passes, log.value.events),
    pages: 1,
    isWhole: true,
  };
  const entries = mergeEntries([...sources, told]);
  const shown = entries.slice(page * PAGE, (page + 1) * PAGE);
  const hasOlder = entries.length > (page + 1) * PAGE || sources.some(({ isWhole }) => !isWhole);
  useInterval(RELOAD_MS, () => {
    const isMailed = shown.some(({ mail }) => mail !== null && isPending(mail));
    if (page === 0 && isMailed && !cards.isLoading) setAgain(again + 1);
  });
  const look = () => {
    setPage(0);
    setAgain(again + 1);
    log.reload();
  };
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <Button text={words.lookAgain} disabled={cards.isLoading || log.isLoading} onClick={look} />
      </div>
      {passes.length > MOST_CARDS && <p class="quiet">{words.moreCards(MOST_CARDS)}</p>}
      <Loading data={log} />
      <Loading data={cards} height="2.5rem" count={4}>
        {() => (
          <>
            {log.value === null && log.error === null && <p class="quiet">{words.reading}</p>}
            <ol class="history">
              {shown.map((entry) =>
                entry.mail === null ? (
                  <EntryLine
                    key={entry.id}
                    entry={entry}
                    names={names.value ?? nobody}
                    hasCards={passes.length > 1}
                  />
                ) : (
                  <MailRow key={entry.id} mail={entry.mail} card={passes.length > 1 ? entry.card : null} />
                ),
              )}
            </ol>
            {(page > 0 || hasOlder) && (
              <nav class="row" aria-label={words.pages}>
                <Button text={words.newer} disabled={page === 0} onClick={() => setPage(page - 1)} />
                <Button
                  text={words.older}
                  disabled={!hasOlder || cards.isLoading}
                  onClick={() => setPage(page + 1)}
                />
                <span class="quiet number">{words.page(page + 1)}</span>
              </nav>
            )}
          </>
        )}
      </Loading>
    </section>
  );
}

const nobody: ActorNames = new Map();

interface EntryLineProps {
  readonly entry: TimelineEntry;
  readonly names: ActorNames;
  /** Whether the customer has several cards, so that each entry names its card. */
  readonly hasCards: boolean;
}

function EntryLine({ entry, names, hasCards }: EntryLineProps) {
  const { text, actor, card, note, at } = entry;
  const about = [actor === null ? null : describeNamedActor(actor, names), hasCards ? card : null].filter(
    (each) => each !== null,
  );
  return (
    <li>
      <span class="grow">
        <bdi>{text}</bdi>
        {note !== null && (
          <>
            <br />
            <bdi>{words.quoted(note)}</bdi>
          </>
        )}
        {about.length > 0 && (
          <>
            <br />
            <bdi class="quiet">{about.join(" · ")}</bdi>
          </>
        )}
      </span>
      <RelativeTime at={at} />
    </li>
  );
}

/** Returns whether a delivery is being sent or is due within a minute. If so, the caller should reload it soon. */
function isPending({ status, nextAttemptAt }: MessageDelivery): boolean {
  if (status === "SENDING") return true;
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}

interface MailLineProps {
  readonly mail: MessageDelivery;
  /** The name of the card that the message is about, or `null` if the context already shows it. */
  readonly card: string | null;
}

/**
 * A row for an email or wallet message about a card. Shows the message's status and an expandable list of its delivery attempts.
 */
function MailRow({ mail, card }: MailLineProps) {
  const { kind, attempts, createdAt, messageId, channel } = mail;
  const { state, tone, about } = mailWords(mail);
  return (
    <li>
      <span class={`chip ${tone}`}>{state}</span>
      <span class="grow">
        {messageId !== null && hasScopes("message:read") ? (
          <Link to={`/messages/${encodeURIComponent(messageId)}`}>{mailKinds[kind]}</Link>
        ) : (
          mailKinds[kind]
        )}
        {channel === "wallet" && ` ${mailsWords.onCard}`}
        {about !== "" && <span class="quiet"> · {about}</span>}
        {card !== null && (
          <>
            <br />
            <bdi class="quiet">{card}</bdi>
          </>
        )}
      </span>
      <RelativeTime at={createdAt} />
      {attempts.length > 0 && (
        <details class="attempts">
          <summary class="quiet">{mailsWords.attempts(attempts.length)}</summary>
          <ol>
            {attempts.map(({ at, durationMs, code, answer }) => (
              <li key={at} class="attempt">
                <RelativeTime at={at} />
                <span class="quiet"> · {(durationMs / 1_000).toFixed(1)} s · </span>
                <bdi>{answerText(code, answer)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

/** Formats a mail server's reply. Most replies already begin with the code. */
function answerText(code: number | null, answer: string | null): string {
  if (answer === null) return code === null ? mailsWords.noAnswer : String(code);
  return code === null || answer.startsWith(String(code)) ? answer : `${code} ${answer}`;
}

/**
 * Returns readers for the paged lists that a timeline merges: the ledger and the deliveries of each card, up to {@link MOST_CARDS}
 * cards.
 */
function createReaders(
  calls: OrganizationCalls,
  passes: readonly WalletPassDetail[],
): readonly ReadPage<TimelineEntry>[] {
  return passes.slice(0, MOST_CARDS).flatMap(({ id, template: { name }, stampProgress }) => {
    const mails: ReadPage<TimelineEntry> = async (page) => {
      const { content, totalPages } = await calls.passes.deliveries(id, { page, size: PAGE });
      return { entries: content.map((mail) => entryFromMail(mail, name)), isLast: page + 1 >= totalPages };
    };
    if (stampProgress === null) return [mails];
    const card = { name, maxStamps: stampProgress.maxStamps };
    const ledger: ReadPage<TimelineEntry> = async (page) => {
      const { content, totalPages } = await calls.stamps.history(id, { page, size: PAGE });
      return {
        entries: content.map((entry) => entryFromStamps(entry, card)),
        isLast: page + 1 >= totalPages,
      };
    };
    return [ledger, mails];
  });
}

/**
 * Returns the query for a customer's events. If the user is allowed to read cards, omits events that also appear in the cards'
 * ledgers.
 */
function logQuery(userId: string): Pick<EventQuery, "types" | "userId"> {
  return hasScopes("pass:read") ? { userId, types: [...besideLedgers] } : { userId };
}

/**
 * Converts a customer's events to timeline entries, newest first. Adds entries for the creation of the customer and of their
 * existing cards if the corresponding events have already been deleted from the event log.
 */
function entriesOfLog(
  customer: User,
  passes: readonly WalletPassDetail[],
  events: EventPage["content"],
): readonly TimelineEntry[] {
  const cards = new Map(passes.map(({ templateId, template }) => [templateId, template.name]));
  const told = new Set(
    events.flatMap(({ type, data }) =>
      (type === "user.created" || type === "pass.created") && "id" in data ? [data.id] : [],
    ),
  );
  const known = { actor: null, note: null, mail: null };
  const facts: readonly TimelineEntry[] = [
    { ...known, id: customer.id, at: customer.createdAt, text: eventsWords.becameCustomer, card: null },
    ...passes.map(({ id, createdAt, template }) => ({
      ...known,
      id,
      at: createdAt,
      text: eventsWords.gotCard,
      card: template.name,
    })),
  ];
  return [
    ...events.toReversed().map((event) => entryFromEvent(event, cards)),
    ...facts.filter(({ id }) => !told.has(id)).toReversed(),
  ].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/** An entry in a customer's history, described in plain language. */
interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  /** The actor who caused the event, or `null` if the actor is unknown or the entry is an email or a message. */
  readonly actor: Actor | null;
  /** The name of the card that the event is about, or `null` if it isn't about a card. */
  readonly card: string | null;
  readonly note: string | null;
  /** The delivery, or `null` if the entry isn't an email or a message. */
  readonly mail: MessageDelivery | null;
}

/** A card's name and the number of stamps that fill it. */
interface Card {
  readonly name: string;
  readonly maxStamps: number;
}

function entryFromStamps(entry: StampEntry, card: Card): TimelineEntry {
  const { id, createdAt: at, actor, note } = entry;
  return { id, at, text: stampText(entry, card), actor, card: card.name, note, mail: null };
}

function entryFromMail(mail: MessageDelivery, card: string): TimelineEntry {
  return { id: mail.id, at: mail.createdAt, text: "", actor: null, card, note: null, mail };
}

function entryFromEvent(
  event: EventPage["content"][number],
  cards: ReadonlyMap<string, string>,
): TimelineEntry {
  const { id, timestamp: at, actor, data } = event;
  const templateId = "templateId" in data ? data.templateId : null;
  const card = templateId === null ? null : (cards.get(templateId) ?? null);
  return { id, at, text: describeEvent(event), actor, card, note: null, mail: null };
}

function stampText({ type, delta, stampsAfter, completions }: StampEntry, { maxStamps }: Card): string {
  const state = `${stampsAfter}/${maxStamps}`;
  switch (type) {
    case "added": {
      const stamped = words.stamped(delta, state);
      if (completions < 1) return stamped;
      return `${stamped} · ${words.earned(completions)}`;
    }
    case "removed":
      return words.takenOff(Math.abs(delta), state);
    case "set":
      return words.corrected(state);
    case "reset":
      return events.emptied;
    case "redeemed":
      return events.tookReward;
    case "granted":
      return events.wasGivenReward;
    case "reversed":
      return words.undone(state);
  }
}
