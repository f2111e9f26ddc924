import { useEffect, useRef, useState } from "preact/hooks";
import type { Actor } from "../../../../../src/access/actor-schema.js";
import { eventTypes } from "../../../../../src/base/event-types.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampEntry } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { PointEntry, PurchaseReference } from "../../../../../src/points/schema.js";
import type { Purchase } from "../../../../../src/purchases/schema.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { type ActorNames, describeNamedActor, loadActorNames } from "../components/actor-names.js";
import { Button } from "../components/button.js";
import { describeEvent } from "../components/event-words.js";
import { type EventFeed, emptyFeed, loadMoreEvents, RelativeTime } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { type LoadedData, useInterval, useLoad } from "../components/load.js";
import { describePurchase, listPointNames, type PointNames } from "../components/purchase-words.js";
import { describePointEntry, type UnitKind } from "../components/unit-text.js";
import { buildPurchasePath } from "../purchases/purchase-path.js";
import { history as words } from "../words/en/customer.js";
import { events, events as eventsWords } from "../words/en/events.js";
import { mailKinds, mails as mailsWords } from "../words/en/mails.js";
import { parseEventSubject } from "./event-names.js";
import { describeMail } from "./mail-words.js";
import { emptySource, loadPages, mergeEntries, type PagedSource, type ReadPage } from "./merge-pages.js";

/** Number of timeline entries per page. */
const PAGE_SIZE = 20;

/** Maximum number of cards whose entries and emails the timeline includes. Each page takes up to two requests per card. */
const MAX_CARDS = 12;

/** Event types that also appear in the cards' ledgers, and those that also appear in the list of purchases. */
const ledgerTypes = /^(stamp|stamp_card|reward|points)\./;
const purchaseTypes = /^purchase\./;

/** How soon a delivery's next attempt must be due for the delivery to be reloaded, in milliseconds. */
const SOON_MS = 60_000;

const RELOAD_MS = 2_000;

/** Maximum number of listed events per customer. */
const MAX_LOG_EVENTS = 2_000;

interface TimelineProps {
  readonly customer: User;
  readonly passes: readonly WalletPassDetail[];
  /** A number that changes after each action on the screen, so that the timeline is reloaded. */
  readonly changeCount: number;
}

/**
 * Shows a customer's history, newest first, one page at a time. Events from the event log can take longer to load and are added
 * when they arrive.
 */
export function Timeline({ customer, passes, changeCount }: TimelineProps) {
  const { id } = customer;
  const [page, setPage] = useState(0);
  const [reloadCount, setReloadCount] = useState(0);
  const state = `${id} ${changeCount} ${reloadCount} ${passes.map((pass) => pass.id).join(" ")}`;
  const cachedRef = useRef<{
    readonly state: string;
    readonly sources: readonly PagedSource<TimelineEntry>[];
  } | null>(null);
  const cards = useLoad(`${state} ${page}`, async (calls) => {
    const readers = createReaders(calls, id, passes);
    const cachedSources =
      cachedRef.current?.state === state ? cachedRef.current.sources : readers.map(() => emptySource);
    const sources = await loadPages(cachedSources, readers, (page + 1) * PAGE_SIZE + 1);
    cachedRef.current = { state, sources };
    return sources;
  });
  const log: LoadedData<EventFeed> = useLoad(`${id} ${changeCount}`, async (calls) => {
    return hasScopes("webhook:manage")
      ? loadMoreEvents(log.value ?? emptyFeed, buildLogQuery(id), calls, { maxEvents: MAX_LOG_EVENTS })
      : emptyFeed;
  });
  const names = useLoad("names", loadActorNames);
  // Go back to the first page, because new entries appear there.
  useEffect(() => setPage(0), [changeCount]);

  const sources = cards.value ?? [];
  const logSource = {
    entries: log.value === null ? [] : listLogEntries(customer, passes, log.value.events),
    endAt: "",
    pages: 1,
    isComplete: true,
  };
  const entries = mergeEntries([...sources, logSource]);
  const visibleEntries = entries.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const hasOlder = entries.length > (page + 1) * PAGE_SIZE || sources.some(({ isComplete }) => !isComplete);
  useInterval(RELOAD_MS, () => {
    const isMailed = visibleEntries.some(({ mail }) => mail !== null && isPending(mail));
    if (page === 0 && isMailed && !cards.isLoading) setReloadCount(reloadCount + 1);
  });
  const refresh = () => {
    setPage(0);
    setReloadCount(reloadCount + 1);
    log.reload();
  };
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <div class="row">
          {hasScopes("purchase:read") && (
            <Link to={`/purchases?userId=${encodeURIComponent(id)}`}>{words.purchases}</Link>
          )}
          <Button text={words.lookAgain} disabled={cards.isLoading || log.isLoading} onClick={refresh} />
        </div>
      </div>
      {passes.length > MAX_CARDS && <p class="quiet">{words.moreCards(MAX_CARDS)}</p>}
      <Loading data={log} />
      <Loading data={cards} height="2.5rem" count={4}>
        {() => (
          <>
            <ol class="history">
              {visibleEntries.map((entry) =>
                entry.mail === null ? (
                  <EntryLine
                    key={entry.id}
                    entry={entry}
                    names={names.value ?? noNames}
                    hasCards={passes.length > 1}
                  />
                ) : (
                  <MailRow key={entry.id} mail={entry.mail} card={passes.length > 1 ? entry.card : null} />
                ),
              )}
            </ol>
            {log.value === null && log.error === null && <p class="quiet">{words.reading}</p>}
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

const noNames: ActorNames = new Map();

interface EntryLineProps {
  readonly entry: TimelineEntry;
  readonly names: ActorNames;
  /** Whether the customer has several cards, so that each entry names its card. */
  readonly hasCards: boolean;
}

function EntryLine({ entry, names, hasCards }: EntryLineProps) {
  const { text, purchase, actor, card, note, at } = entry;
  const about = [actor === null ? null : describeNamedActor(actor, names), hasCards ? card : null].filter(
    (each) => each !== null,
  );
  return (
    <li>
      <span class="grow">
        {purchase !== null && hasScopes("purchase:read") ? (
          <Link to={buildPurchasePath(purchase)}>
            <bdi>{text}</bdi>
          </Link>
        ) : (
          <bdi>{text}</bdi>
        )}
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
  const { state, tone, about } = describeMail(mail);
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
                <bdi>{formatReply(code, answer)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

/** Formats a mail server's reply. Most replies already begin with the code. */
function formatReply(code: number | null, answer: string | null): string {
  if (answer === null) return code === null ? mailsWords.noAnswer : String(code);
  return code === null || answer.startsWith(String(code)) ? answer : `${code} ${answer}`;
}

/**
 * Returns readers for the paged lists that a timeline merges: the purchases, and the ledger and the deliveries of each card, up to
 * {@link MAX_CARDS} cards.
 */
function createReaders(
  calls: OrganizationCalls,
  userId: string,
  passes: readonly WalletPassDetail[],
): readonly ReadPage<TimelineEntry>[] {
  const pointNames = listPointNames(passes.map(({ template }) => template));
  const readPurchases: ReadPage<TimelineEntry> = async (page) => {
    const { content, totalPages } = await calls.purchases.list({ userId, page, size: PAGE_SIZE });
    return {
      entries: content.map((purchase) => toPurchaseEntry(purchase, pointNames)),
      endAt: content.at(-1)?.at ?? "",
      isLast: page + 1 >= totalPages,
    };
  };
  const ofCards = passes.slice(0, MAX_CARDS).flatMap(({ id, template, stampProgress, pointCard }) => {
    const { name } = template;
    const readMails: ReadPage<TimelineEntry> = async (page) => {
      const { content, totalPages } = await calls.passes.deliveries(id, { page, size: PAGE_SIZE });
      return {
        entries: content.map((mail) => toMailEntry(mail, name)),
        endAt: content.at(-1)?.createdAt ?? "",
        isLast: page + 1 >= totalPages,
      };
    };
    if (pointCard !== null) {
      const kind: UnitKind = { unit: "points", word: template.points?.unit ?? null };
      const readPoints: ReadPage<TimelineEntry> = async (page) => {
        const { content, totalPages } = await calls.points.history(id, { page, size: PAGE_SIZE });
        return {
          entries: content.filter(isBesidePurchases).map((entry) => toPointEntry(entry, name, kind)),
          endAt: content.at(-1)?.createdAt ?? "",
          isLast: page + 1 >= totalPages,
        };
      };
      return [readPoints, readMails];
    }
    if (stampProgress === null) return [readMails];
    const card = { name, maxStamps: stampProgress.maxStamps };
    const readLedger: ReadPage<TimelineEntry> = async (page) => {
      const { content, totalPages } = await calls.stamps.history(id, { page, size: PAGE_SIZE });
      return {
        entries: content.filter(isBesidePurchases).map((entry) => toStampEntry(entry, card)),
        endAt: content.at(-1)?.createdAt ?? "",
        isLast: page + 1 >= totalPages,
      };
    };
    return [readLedger, readMails];
  });
  return hasScopes("purchase:read") ? [readPurchases, ...ofCards] : ofCards;
}

/** Returns whether the list of purchases doesn't show an entry. It shows what each purchase gave, but not what returns took back. */
function isBesidePurchases({ type, purchase }: Pick<PointEntry | StampEntry, "type" | "purchase">): boolean {
  return type !== "earned" || purchase === null || !hasScopes("purchase:read");
}

/** Returns the query for a customer's events. Omits the events that also appear in the lists that the user is allowed to read. */
function buildLogQuery(userId: string): Pick<EventQuery, "types" | "userId"> {
  const types = eventTypes.filter(
    (type) =>
      !(hasScopes("pass:read") && ledgerTypes.test(type)) &&
      !(hasScopes("purchase:read") && purchaseTypes.test(type)),
  );
  return types.length === eventTypes.length ? { userId } : { userId, types };
}

/**
 * Converts a customer's events to timeline entries, newest first. Adds entries for the creation of the customer and of their
 * existing cards if the corresponding events have already been deleted from the event log.
 */
function listLogEntries(
  customer: User,
  passes: readonly WalletPassDetail[],
  events: EventPage["content"],
): readonly TimelineEntry[] {
  const cards = new Map(passes.map(({ templateId, template }) => [templateId, template.name]));
  const pointNames = listPointNames(passes.map(({ template }) => template));
  const loggedIds = new Set(
    events.flatMap(({ type, data }) =>
      (type === "user.created" || type === "pass.created") && "id" in data ? [data.id] : [],
    ),
  );
  const emptyFields = { purchase: null, actor: null, note: null, mail: null };
  const creationEntries: readonly TimelineEntry[] = [
    { ...emptyFields, id: customer.id, at: customer.createdAt, text: eventsWords.becameCustomer, card: null },
    ...passes.map(({ id, createdAt, template }) => ({
      ...emptyFields,
      id,
      at: createdAt,
      text: eventsWords.gotCard,
      card: template.name,
    })),
  ];
  return [
    ...events.toReversed().map((event) => ({
      ...toEventEntry(event, cards, pointNames),
      ...(isOfNewCustomer(event, customer) && { text: eventsWords.signedUpAgain }),
    })),
    ...creationEntries.filter(({ id }) => !loggedIds.has(id)).toReversed(),
  ].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/** Returns whether an event is about a new, separate customer, who signed up with this customer's email. */
const isOfNewCustomer = ({ type, data }: EventPage["content"][number], { id }: User): boolean =>
  type === "user.created" && "id" in data && data.id !== id;

/** An entry in a customer's history, described in plain language. */
interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  /** The purchase that the entry is about, or `null` if it isn't about one. */
  readonly purchase: PurchaseReference | null;
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

function toStampEntry(entry: StampEntry, card: Card): TimelineEntry {
  const { id, createdAt: at, purchase, actor, note } = entry;
  return {
    id,
    at,
    text: describeStampEntry(entry, card),
    purchase,
    actor,
    card: card.name,
    note,
    mail: null,
  };
}

function toPointEntry(entry: PointEntry, card: string, kind: UnitKind): TimelineEntry {
  const { id, createdAt: at, purchase, actor, note } = entry;
  return { id, at, text: describePointEntry(entry, kind), purchase, actor, card, note, mail: null };
}

function toPurchaseEntry(purchase: Purchase, pointNames: PointNames): TimelineEntry {
  const { id, at, note } = purchase;
  return {
    id,
    at,
    text: describePurchase(purchase, pointNames),
    purchase,
    actor: null,
    card: null,
    note,
    mail: null,
  };
}

function toMailEntry(mail: MessageDelivery, card: string): TimelineEntry {
  return {
    id: mail.id,
    at: mail.createdAt,
    text: "",
    purchase: null,
    actor: null,
    card,
    note: null,
    mail,
  };
}

function toEventEntry(
  event: EventPage["content"][number],
  cards: ReadonlyMap<string, string>,
  pointNames: PointNames,
): TimelineEntry {
  const { id, timestamp: at, actor, data } = event;
  const note = "entry" in data ? data.entry.note : null;
  const { templateId } = parseEventSubject(event);
  const card = templateId === null ? null : (cards.get(templateId) ?? null);
  return { id, at, text: describeEvent(event, pointNames), purchase: null, actor, card, note, mail: null };
}

function describeStampEntry(
  { type, delta, stampsAfter, completions }: StampEntry,
  { maxStamps }: Card,
): string {
  const state = `${stampsAfter}/${maxStamps}`;
  switch (type) {
    case "earned":
    case "added": {
      const shownState = completions < 1 ? state : `${maxStamps}/${maxStamps}`;
      const stampedText =
        type === "added" ? words.stamped(delta, shownState) : words.earnedStamps(delta, shownState);
      if (completions < 1) return stampedText;
      const next = stampsAfter > 0 ? ` · ${words.nextCard(state)}` : "";
      return `${stampedText} · ${words.earned(completions)}${next}`;
    }
    case "returned":
      return words.returnedStamps(Math.abs(delta), state);
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
