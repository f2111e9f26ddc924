import { greetingName } from "../base/values/display-text.js";
import type { PlaceholderValues } from "../base/values/placeholders.js";
import type { PointCard } from "../points/schema.js";
import type { StoredMessageText } from "../storage/messages.js";
import type { StoredStampCard } from "../storage/passes.js";
import type { StoredTemplate } from "../storage/templates.js";

/**
 * Chooses the text to send for a customer's language. Falls back to progressively shorter language tags (RFC 4647, section 3.4),
 * and finally to the first text.
 * @param texts the message's texts. There must be at least one.
 * @param language a BCP 47 tag, or `null` if the customer's language is unknown.
 */
export function chooseText<Text extends Pick<StoredMessageText, "language">>(
  texts: readonly Text[],
  language: string | null,
): Text {
  const [first] = texts;
  if (first === undefined) throw new TypeError("a message has at least one text");
  for (let range = language?.toLowerCase() ?? ""; range !== ""; range = shortenRange(range)) {
    const match = texts.find((text) => text.language.toLowerCase() === range);
    if (match !== undefined) return match;
  }
  return first;
}

/** Removes the last part of a language range, and a preceding part that is a single letter or digit. */
function shortenRange(range: string): string {
  const parts = range.split("-").slice(0, -1);
  return parts.slice(0, parts.at(-1)?.length === 1 ? -1 : undefined).join("-");
}

/**
 * Returns the values for a message's placeholders.
 * @param template the message's template, or `null` if there is none.
 * @param card the state of the customer's oldest pass for the template, or `null` if there is no such pass or it isn't a stamp
 *   card.
 * @param points the points on that pass, or `null` if there is no such pass or it has no points.
 */
export function buildMessagePlaceholderValues(
  { name }: { readonly name: string | null },
  template: Pick<StoredTemplate, "name" | "maxStamps"> | null,
  card: StoredStampCard | null,
  points: Pick<PointCard, "available"> | null,
): PlaceholderValues {
  const toGo = card === null ? (template?.maxStamps ?? 0) : card.maxStamps - card.currentStamps;
  return {
    name: greetingName(name),
    card: template?.name ?? null,
    stamps: card?.currentStamps ?? 0,
    toGo,
    rewards: card?.rewardsAvailable ?? 0,
    points: points?.available ?? 0,
  };
}
