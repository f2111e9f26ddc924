import { greetingName } from "../values/display-text.js";
import type { PlaceholderValues } from "../values/placeholders.js";
import type { StampCard } from "./stamps.js";
import type { Template } from "./template.js";

/**
 * Returns what placeholders stand for in a message to a customer. A name that programs would make a link of is left out: anybody
 * may join with the address of another and a link in place of the name.
 * @param template the one that the message is about; `null` for none.
 * @param stamps those of the customer's card of it; `null` without one.
 */
export function placeholderValues(
  name: string | null,
  template: Pick<Template, "name" | "maxStamps"> | null,
  stamps: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null,
): PlaceholderValues {
  const most = stamps?.maxStamps ?? template?.maxStamps ?? 0;
  return {
    name: greetingName(name),
    card: template?.name ?? null,
    stamps: stamps?.currentStamps ?? 0,
    toGo: most - (stamps?.currentStamps ?? 0),
    rewards: stamps?.rewardsAvailable ?? 0,
  };
}
