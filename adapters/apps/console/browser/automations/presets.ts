import type { Automation, CreateAutomation } from "../../../../../src/automations/schema.js";
import type { Scope } from "../../../../../src/base/scopes.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { session } from "../api/session.js";
import type { PresetLanguage } from "../components/first-language.js";
import { type ContentDraft, emptyContent, fromContentDraft } from "../messages/content-draft.js";
import { parseKeys } from "../segments/leaf-values.js";
import { readyWords } from "../words/en/ready-automations.js";
import { type PresetKind, presetTexts } from "./preset-texts.js";

/** The automation presets, each with the scopes, in addition to `message:send`, that a user needs to create it. */
export const presetKinds: readonly (readonly [kind: PresetKind, scopes: readonly Scope[]])[] = [
  ["welcome", ["pass:read", "user:read"]],
  ["nearlyFull", ["pass:read"]],
  ["reward", ["pass:read"]],
  ["birthday", ["user:read"]],
  ["winBack", ["pass:read", "segment:read", "segment:write"]],
];

/** The values of a preset's form. Numbers are strings, as the user typed them. */
export interface PresetValues {
  readonly name: string;
  /** The message's initial language. */
  readonly language: PresetLanguage;
  /** The message to send. The trigger and the other actions apply to the same card as the message. */
  readonly content: ContentDraft;
  readonly toGo: string;
  readonly waitDays: string;
  readonly stamps: string;
  readonly key: string;
  readonly at: string;
  readonly givesReward: boolean;
  readonly days: string;
}

/** Returns whether the preset requires the user to select a card. */
export const needsCard = (kind: PresetKind): boolean => kind === "nearlyFull" || kind === "reward";

/**
 * Returns the initial values of a preset's form.
 * @param templateId the ID of the card that is selected initially, or an empty string for none.
 * @param language the message's initial language.
 */
export function createDefaultValues(
  kind: PresetKind,
  templateId: string,
  language: PresetLanguage,
): PresetValues {
  const content = {
    ...emptyContent,
    templateId,
    onWallet: templateId !== "" && (session.hasWallets || !session.hasMail),
    byEmail: session.hasMail || templateId === "",
    way: "wallet",
    texts: [getPresetText(kind, language, templateId)],
  } as const;
  const numbers = { toGo: "1", waitDays: "7", stamps: "0", days: "60" };
  const birthday = { key: "birthday", at: "09:00", givesReward: false };
  return { name: readyWords[kind][0], language, content, ...numbers, ...birthday };
}

const getPresetText = (kind: PresetKind, language: PresetLanguage, templateId: string) => ({
  language,
  ...presetTexts[language][kind][templateId === "" ? "plain" : "card"],
});

/**
 * Updates part of the message's content. If the card changes and the user hasn't edited the first text, that text is replaced with
 * the preset's default, which depends on whether there is a card.
 */
export function changeContent(
  kind: PresetKind,
  values: PresetValues,
  part: Partial<ContentDraft>,
): PresetValues {
  const { language } = values;
  const content = { ...values.content, ...part };
  const [text, ...others] = values.content.texts;
  const isUntouched =
    JSON.stringify(text) === JSON.stringify(getPresetText(kind, language, values.content.templateId));
  const shouldReplaceText = part.templateId !== undefined && isUntouched;
  const texts = shouldReplaceText
    ? [getPresetText(kind, language, content.templateId), ...others]
    : content.texts;
  const hasCard = content.templateId !== "";
  return { ...values, content: { ...content, texts, onWallet: content.onWallet && hasCard } };
}

/**
 * Converts a completed form to the automation that the API expects.
 * @param segment the slug of the segment that triggers the automation. Only the win-back preset uses it.
 */
export function toAutomation(kind: PresetKind, values: PresetValues, segment: string): CreateAutomation {
  const { content } = values;
  const { templateId, onWallet, byEmail } = content;
  const name = values.name.trim();
  const message = { message: fromContentDraft(content) };
  const waitDays = Number(values.waitDays);
  switch (kind) {
    case "welcome": {
      // A card can't show a message until it is in a wallet.
      const event = onWallet && !byEmail ? ("pass.installed" as const) : ("pass.created" as const);
      const count = templateId === "" ? 0 : Number(values.stamps);
      const stampActions = count === 0 ? [] : [{ addStamps: { templateId, count } }];
      const on = templateId === "" ? ({ event: "user.created" } as const) : { event, templateId };
      return { name, on, do: [...stampActions, message], per: "once" };
    }
    case "nearlyFull":
      return { name, on: { event: "stamp.added", templateId, toGo: Number(values.toGo) }, do: [message] };
    case "reward":
      return {
        name,
        on: { event: "stamp_card.completed", templateId },
        if: { operator: "AND", conditions: [{ rewards: { templateId, min: 1 } }] },
        after: waitDays,
        do: [message],
        per: { everyDays: Math.max(waitDays, 1) },
      };
    case "birthday": {
      const shouldGiveReward = values.givesReward && templateId !== "";
      const hasCardFilter: SegmentFilter = { operator: "AND", conditions: [{ stamps: { templateId } }] };
      return {
        name,
        on: { date: { metadata: parseKeys(values.key.trim()), at: values.at } },
        ...(shouldGiveReward && { if: hasCardFilter }),
        do: [...(shouldGiveReward ? [{ giveReward: { templateId } }] : []), message],
        // Prevents a second birthday within a year if a customer changes the date.
        per: { everyDays: 300 },
      };
    }
    case "winBack":
      return { name, on: { segmentEntered: segment }, do: [message] };
  }
}

/**
 * Returns the filter for the win-back preset, which matches customers whose last visit with any card was more than the given number
 * of days ago.
 */
export function buildAwayFilter({ days }: Pick<PresetValues, "days">): SegmentFilter {
  return { operator: "AND", conditions: [{ lastVisit: { beforeDays: Number(days) } }] };
}

/** Returns whether an automation has the same kind of trigger as a preset. */
export function matchesPreset(kind: PresetKind, { on, after }: Pick<Automation, "on" | "after">): boolean {
  if (kind === "birthday") return "date" in on;
  if (kind === "winBack") return "segmentEntered" in on;
  if (!("event" in on)) return false;
  if (kind === "nearlyFull") return on.event === "stamp.added" && on.toGo !== undefined;
  if (kind === "reward") return on.event === "stamp_card.completed" && after > 0;
  return ["user.created", "pass.created", "pass.installed"].includes(on.event);
}
