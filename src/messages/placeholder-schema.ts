import { greetingName } from "../base/values/display-text.js";
import type { PlaceholderValues } from "../base/values/placeholders.js";
import type { Template } from "../cards/schema.js";
import type { StampCard } from "../cards/stamps-schema.js";
import type { PointCard } from "../points/schema.js";

/**
 * Returns the placeholder values for a message to a customer. A name that email programs would turn into a link is omitted.
 * Otherwise, anyone could sign up with a link as their name and another person's address, and the organization's emails would
 * deliver that link to that person.
 * @param template the template that the message is about, or `null` if there is none.
 * @param stamps the stamps on the customer's card for this template, or `null` if the customer has no card.
 * @param points the points on that card, or `null` if it has none.
 */
export function placeholderValues(
  name: string | null,
  template: Pick<Template, "name" | "maxStamps"> | null,
  stamps: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null,
  points: Pick<PointCard, "available"> | null,
): PlaceholderValues {
  const max = stamps?.maxStamps ?? template?.maxStamps ?? 0;
  return {
    name: greetingName(name),
    card: template?.name ?? null,
    stamps: stamps?.currentStamps ?? 0,
    toGo: max - (stamps?.currentStamps ?? 0),
    rewards: stamps?.rewardsAvailable ?? 0,
    points: points?.available ?? 0,
  };
}
