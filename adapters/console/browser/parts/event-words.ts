import type { Actor } from "../../../../src/resources/actor.js";
import type { EventPage } from "../../../../src/webhooks/events.js";

type KeptEvent = EventPage["content"][number];

const plain: Partial<Record<KeptEvent["type"], string>> = {
  "user.created": "Became a customer",
  "user.updated": "Details changed",
  "user.deleted": "Was deleted",
  "pass.created": "Got a card",
  "pass.revoked": "A card was cancelled",
  "stamp_card.completed": "Card full: earned a reward",
  "stamp_card.redeemed": "Took a reward",
  "reward.granted": "Was given a reward",
  "stamp.reversed": "A change of the card was undone",
};

/** The words of kinds that end with how many stamps are on the card after it. */
const stamped: Partial<Record<KeptEvent["type"], string>> = {
  "stamp.added": "Stamped",
  "stamp.removed": "Stamps taken off",
  "stamp.set": "Stamps corrected",
  "stamp.reset": "Card emptied",
};

/** Returns what an event tells in a shop's words; its kind where nobody in a shop needs words for it. */
export function eventText(event: KeptEvent): string {
  switch (event.type) {
    case "user_tag.assigned":
      return `Got the tag “${event.data.userTag.name}”`;
    case "user_tag.unassigned":
      return `Lost the tag “${event.data.userTag.name}”`;
    case "segment.entered":
      return `Came into “${event.data.segment.name}”`;
    case "segment.left":
      return `Left “${event.data.segment.name}”`;
    case "subscription.changed":
      return `${event.data.channel === "email" ? "News by mail" : "News on the card"}: ${consents[event.data.status] ?? ""}`;
    case "pass.installed":
      return `Card added to ${walletOf(event.data)}`;
    case "pass.uninstalled":
      return `Card removed from ${walletOf(event.data)}`;
    case "stamp.added":
    case "stamp.removed":
    case "stamp.set":
    case "stamp.reset":
      return `${stamped[event.type]}: ${event.data.currentStamps}/${event.data.maxStamps}`;
    case "import.completed":
      return "An import ended";
    case "message.started":
      return "A message began";
    default:
      return plain[event.type] ?? event.type;
  }
}

const consents: Readonly<Record<string, string>> = {
  SUBSCRIBED: "agreed",
  UNSUBSCRIBED: "wants none",
  PENDING: "has yet to confirm",
};

function walletOf(data: object): string {
  const platform = "platform" in data ? data.platform : null;
  if (platform === "apple") return "Apple Wallet";
  return platform === "google" ? "Google Wallet" : "a wallet";
}

const kinds: Readonly<Record<Actor["kind"], string>> = {
  library: "your software",
  token: "a program or till",
  app: "an app",
  console: "the console",
  worker: "by itself",
  customer: "the customer",
  automation: "an automation",
};

/** Returns who did something and where: Ada, at Till 2. */
export function actorText({ kind, subject, location }: Actor): string {
  const who = subject ?? kinds[kind];
  return location === null ? who : `${who}, at ${location}`;
}
