import { type EventType, eventTypes } from "../../../../src/event-types.js";
import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { EventQuery } from "../../../../src/resources/event.js";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { User } from "../../../../src/resources/user.js";
import type { EventPage } from "../../../../src/webhooks/events.js";
import { hasScopes } from "../api/session.js";
import { events as words } from "../words/en/events.js";
import type { ReadPage } from "./merge-pages.js";
import { entryFromEvent, entryFromMail, entryFromStamps, type TimelineEntry } from "./timeline-entry.js";

/** The entries of a page. */
export const PAGE = 20;

/** The most cards whose stamps and mails are listed: each costs two requests. */
export const MOST_CARDS = 12;

/** The types of events that no ledger contains. Stamps and rewards have ledgers. */
const besideLedgers: readonly EventType[] = eventTypes.filter(
  (type) => !/^(stamp|stamp_card|reward)\./.test(type),
);

/** The lists that a timeline is made of, each newest first: the ledger and the mails of each card. */
export function createReaders(
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

/** Returns the query for the events of a customer that the cards do not tell, for who may see cards; for others of all. */
export function logQuery(userId: string): Pick<EventQuery, "types" | "userId"> {
  return hasScopes("pass:read") ? { userId, types: [...besideLedgers] } : { userId };
}

/**
 * Returns the events of a customer as entries, newest first. The log keeps events for a while only: when the customer came and
 * got the cards that there are is known without it.
 */
export function entriesOfLog(
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
    { ...known, id: customer.id, at: customer.createdAt, text: words.becameCustomer, card: null },
    ...passes.map(({ id, createdAt, template }) => ({
      ...known,
      id,
      at: createdAt,
      text: words.gotCard,
      card: template.name,
    })),
  ];
  return [
    ...events.toReversed().map((event) => entryFromEvent(event, cards)),
    ...facts.filter(({ id }) => !told.has(id)).toReversed(),
  ].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}
