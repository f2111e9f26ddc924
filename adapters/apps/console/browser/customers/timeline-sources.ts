import { type EventType, eventTypes } from "../../../../../src/base/event-types.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { hasScopes } from "../api/session.js";
import { events as words } from "../words/en/events.js";
import type { ReadPage } from "./merge-pages.js";
import { entryFromEvent, entryFromMail, entryFromStamps, type TimelineEntry } from "./timeline-entry.js";

/** Number of timeline entries per page. */
export const PAGE = 20;

/** Maximum number of cards whose stamps and emails the timeline includes. Each page takes up to two requests per card. */
export const MOST_CARDS = 12;

/** Event types that don't appear in a ledger. Stamps and rewards do. */
const besideLedgers: readonly EventType[] = eventTypes.filter(
  (type) => !/^(stamp|stamp_card|reward)\./.test(type),
);

/**
 * Returns readers for the paged lists that a timeline merges: the ledger and the deliveries of each card, up to {@link MOST_CARDS}
 * cards.
 */
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

/**
 * Returns the query for a customer's events. If the user is allowed to read cards, omits events that also appear in the cards'
 * ledgers.
 */
export function logQuery(userId: string): Pick<EventQuery, "types" | "userId"> {
  return hasScopes("pass:read") ? { userId, types: [...besideLedgers] } : { userId };
}

/**
 * Converts a customer's events to timeline entries, newest first. Adds entries for the creation of the customer and of their
 * existing cards if the corresponding events have already been deleted from the event log.
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
