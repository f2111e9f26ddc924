import type { EventPage } from "../../../../../src/webhooks/events.js";
import { events as words } from "../words/en/events.js";
import { describePurchaseEvent, findUnitKind, type PointNames } from "./purchase-words.js";
import { describePointEntry } from "./unit-text.js";

type OutboxEvent = EventPage["content"][number];

const eventTexts: Partial<Record<OutboxEvent["type"], string>> = {
  "user.created": words.becameCustomer,
  "user.updated": words.changed,
  "user.deleted": words.deleted,
  "pass.created": words.gotCard,
  "pass.revoked": words.cardCanceled,
  "stamp_card.completed": words.cardFull,
  "stamp_card.redeemed": words.tookReward,
  "reward.granted": words.wasGivenReward,
  "stamp.reversed": words.undone,
};

/** Texts for the event types that also show the number of stamps on the card after the event. */
const stampTexts: Partial<Record<OutboxEvent["type"], string>> = {
  "stamp.removed": words.takenOff,
  "stamp.set": words.corrected,
  "stamp.reset": words.emptied,
};

/** Describes an event in plain language. If there is no description for the event's type, returns the type. */
export function describeEvent(event: OutboxEvent, pointNames: PointNames): string {
  switch (event.type) {
    case "user_tag.assigned":
      return words.gotTag(event.data.userTag.name);
    case "user_tag.unassigned":
      return words.lostTag(event.data.userTag.name);
    case "segment.entered":
      return words.cameInto(event.data.segment.name);
    case "segment.left":
      return words.left(event.data.segment.name);
    case "subscription.changed":
      return `${event.data.channel === "email" ? words.newsByMail : words.newsOnCard}: ${consentTexts[event.data.status] ?? ""}`;
    case "pass.installed":
      return words.addedTo(describeWallet(event.data));
    case "pass.uninstalled":
      return words.removedFrom(describeWallet(event.data));
    case "stamp.added":
      return words.onCard(words.stamped, countAdded(event.data), event.data.maxStamps);
    case "stamp.removed":
    case "stamp.set":
    case "stamp.reset":
      return words.onCard(stampTexts[event.type] ?? "", event.data.currentStamps, event.data.maxStamps);
    case "purchase.recorded":
    case "purchase.changed":
      return describePurchaseEvent(event.type, event.data, pointNames);
    case "points.earned":
    case "points.returned":
    case "points.added":
    case "points.removed":
    case "points.spent":
    case "points.expired":
    case "points.reversed":
      return describePointEntry(
        event.data.entry,
        findUnitKind({ unit: "points", templateId: event.data.pointCard.templateId }, pointNames),
      );
    case "import.completed":
      return words.importEnded;
    case "message.started":
      return words.messageBegan;
    default:
      return eventTexts[event.type] ?? event.type;
  }
}

/** Returns the stamps that a card shows after one was added. A card that became full has begun again at zero. */
const countAdded = ({
  currentStamps,
  maxStamps,
}: {
  readonly currentStamps: number;
  readonly maxStamps: number;
}) => (currentStamps === 0 ? maxStamps : currentStamps);

const consentTexts: Readonly<Record<string, string>> = {
  SUBSCRIBED: words.agreed,
  UNSUBSCRIBED: words.refused,
  PENDING: words.unconfirmed,
};

function describeWallet(data: object): string {
  const platform = "platform" in data ? data.platform : null;
  if (platform === "apple") return "Apple Wallet";
  return platform === "google" ? "Google Wallet" : words.aWallet;
}
