import type { Actor } from "../../../../../src/access/actor-schema.js";
import type { StampEntry } from "../../../../../src/cards/stamps-schema.js";
import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { eventText } from "../components/event-words.js";
import { history as words } from "../words/en/customer.js";
import { events } from "../words/en/events.js";

/** An entry in a customer's history, described in plain language. */
export interface TimelineEntry {
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

export function entryFromStamps(entry: StampEntry, card: Card): TimelineEntry {
  const { id, createdAt: at, actor, note } = entry;
  return { id, at, text: stampText(entry, card), actor, card: card.name, note, mail: null };
}

export function entryFromMail(mail: MessageDelivery, card: string): TimelineEntry {
  return { id: mail.id, at: mail.createdAt, text: "", actor: null, card, note: null, mail };
}

export function entryFromEvent(
  event: EventPage["content"][number],
  cards: ReadonlyMap<string, string>,
): TimelineEntry {
  const { id, timestamp: at, actor, data } = event;
  const templateId = "templateId" in data ? data.templateId : null;
  const card = templateId === null ? null : (cards.get(templateId) ?? null);
  return { id, at, text: eventText(event), actor, card, note: null, mail: null };
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
