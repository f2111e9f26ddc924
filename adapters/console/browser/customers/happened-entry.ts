import type { Actor } from "../../../../src/resources/actor.js";
import type { MessageDelivery } from "../../../../src/resources/message-delivery.js";
import type { StampEntry } from "../../../../src/resources/stamps.js";
import type { EventPage } from "../../../../src/webhooks/events.js";
import { eventText } from "../parts/event-words.js";
import { counted } from "../words/en/forms.js";

/** Something that happened with a customer, as a shop is told of it. */
export interface HappenedEntry {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  /** Who did it; `null` where that is not known, or it is a mail. */
  readonly actor: Actor | null;
  /** The name of the card that it is about; `null` for none. */
  readonly card: string | null;
  readonly note: string | null;
  /** The mail or message that it is; `null` for anything else. */
  readonly mail: MessageDelivery | null;
}

/** The name of a card, and how many stamps fill it. */
interface Card {
  readonly name: string;
  readonly maxStamps: number;
}

export function entryOfStamps(entry: StampEntry, card: Card): HappenedEntry {
  const { id, createdAt: at, actor, note } = entry;
  return { id, at, text: stampText(entry, card), actor, card: card.name, note, mail: null };
}

export function entryOfMail(mail: MessageDelivery, card: string): HappenedEntry {
  return { id: mail.id, at: mail.createdAt, text: "", actor: null, card, note: null, mail };
}

export function entryOfEvent(
  event: EventPage["content"][number],
  cards: ReadonlyMap<string, string>,
): HappenedEntry {
  const { id, timestamp: at, actor, data } = event;
  const templateId = "templateId" in data ? data.templateId : null;
  const card = templateId === null ? null : (cards.get(templateId) ?? null);
  return { id, at, text: eventText(event), actor, card, note: null, mail: null };
}

function stampText({ type, delta, stampsAfter, completions }: StampEntry, { maxStamps }: Card): string {
  const state = `${stampsAfter}/${maxStamps}`;
  switch (type) {
    case "added": {
      const stamped = `Stamped${delta === 1 ? "" : ` +${delta}`}: ${state}`;
      if (completions < 1) return stamped;
      return `${stamped} · Card full: earned ${completions === 1 ? "a reward" : `${completions} rewards`}`;
    }
    case "removed":
      return `${counted(Math.abs(delta), "stamp")} taken off: ${state}`;
    case "set":
      return `Stamps corrected: ${state}`;
    case "reset":
      return "Card emptied";
    case "redeemed":
      return "Took a reward";
    case "granted":
      return "Was given a reward";
    case "reversed":
      return `A change of the card was undone: ${state}`;
  }
}
