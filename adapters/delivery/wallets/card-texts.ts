import { findClosestLanguage } from "../../../src/base/values/language-lookup.js";
import type { DesignTexts } from "../../../src/cards/design-schema.js";
import type { StampCard, Template } from "../../../src/index.js";
import type { CardPoints } from "../../../src/points/card-points.js";
import type { IssuedMessage, IssuedText } from "../../../src/wallets/shown-message.js";
import { describePoints, type PointTexts } from "../languages/point-words.js";
import { findWords } from "./built-in-words.js";

/** A value to show on a card, with an optional label, in a platform-independent form. */
export interface CardField {
  readonly key: string;
  /**
   * Where the field appears. On an Apple pass, a message and details of the points appear on the back. On a Google card, stamps,
   * rewards, and points appear as loyalty points, details and front and back fields as text modules, and messages as messages.
   */
  readonly place: "primary" | "header" | "progress" | "front" | "detail" | "back" | "message";
  readonly label?: string;
  /** The field's value, or `null` to hide the field. */
  readonly value: string | number | null;
  /** Whether the wallet notifies the customer when the value changes. This is set on at most one field per card. */
  readonly isAnnounced?: boolean;
  /** Set to `true` if the value is a URL to render as a link. */
  readonly isLink?: true;
}

/** All of a card's text in one language. */
export interface CardTexts {
  readonly language: string;
  /** The card's text. Every language has the same keys. */
  readonly words: ReturnType<typeof describeNews> & ReturnType<typeof pickWords>;
  readonly fields: readonly CardField[];
}

export type StampCounts = Pick<StampCard, "maxStamps" | "currentStamps" | "rewardsAvailable">;

/** A card's state, apart from its stamps. */
export interface CardStatus {
  /** Whether the card has been revoked. Default: false. */
  readonly isRevoked?: boolean;
  /** The card's points. Default: the card doesn't collect points. */
  readonly points?: CardPoints | null;
  /** The message to show on the card, with its placeholders filled in. Default: no message. */
  readonly message?: Pick<IssuedMessage, "texts"> | null;
  /** Whether the message is the card's most recent change. If it is, the wallet announces it to the customer. Default: false. */
  readonly isMessageNewest?: boolean;
}

/**
 * Describes a card in each of its design's languages, starting with the default language, followed by any additional languages of
 * its message. If the card has no design, the default language is English. Apple passes, Google cards, and the preview are all
 * built from this description.
 * @param stamps the card's stamps, or `null` if the card doesn't collect stamps.
 */
export function describeCard(
  { name, reward, design }: Pick<Template, "name" | "reward" | "design">,
  stamps: StampCounts | null,
  { isRevoked = false, points = null, message = null, isMessageNewest = false }: CardStatus = {},
): [CardTexts, ...CardTexts[]] {
  const links = (design?.links ?? []).map(
    ({ label, url }, at) => ({ key: `link${at}`, place: "back", label, value: url, isLink: true }) as const,
  );
  const describeInLanguage = (
    texts: DesignTexts | undefined,
    language = texts?.language ?? "en",
  ): CardTexts => {
    const words = {
      ...describeNews(language, message),
      ...pickWords(name, texts, { stamps, points, isRevoked }),
    };
    const fields = isRevoked
      ? buildRevokedFields(words)
      : buildFields(words, { stamps, reward, links, hasNews: message !== null, isMessageNewest });
    return { language, words, fields };
  };
  const [first, ...others] = design?.texts ?? [];
  const designTexts: [CardTexts, ...CardTexts[]] = [
    describeInLanguage(first),
    ...others.map((texts) => describeInLanguage(texts)),
  ];
  const messageOnlyTexts = (message?.texts ?? []).filter(
    ({ language }) => !designTexts.some((texts) => texts.language === language),
  );
  const describeMessageOnly = ({ language }: IssuedText) =>
    describeInLanguage(first && findClosestLanguage([first, ...others], language), language);
  return [...designTexts, ...messageOnlyTexts.map(describeMessageOnly)];
}

/** Returns the text for the card's message field: the message, or that there is none. */
function describeNews(language: string, message: CardStatus["message"] = null) {
  const messageText = message && findClosestLanguage(message.texts, language);
  const localeWords = findWords(messageText?.language ?? language);
  return { newsLabel: localeWords.newsLabel, news: messageText?.text ?? localeWords.noNews };
}

/**
 * Returns a card's text in the design language that best matches the requested language. If the design contains no text, returns
 * the built-in text in the requested language.
 */
export function buildCardWords(
  name: string,
  texts: readonly DesignTexts[],
  counts: { readonly stamps: StampCounts | null; readonly points: CardPoints | null },
  language: string,
): ReturnType<typeof pickWords> {
  const [first, ...others] = texts;
  const closest = first && findClosestLanguage([first, ...others], language);
  return pickWords(name, closest, { ...counts, isRevoked: false }, closest?.language ?? language);
}

interface CardCounts {
  readonly stamps: StampCounts | null;
  readonly points: CardPoints | null;
  readonly isRevoked: boolean;
}

function pickWords(
  name: string,
  texts: DesignTexts | undefined,
  { stamps, points, isRevoked }: CardCounts,
  language = texts?.language ?? "en",
) {
  const localeWords = findWords(language);
  const toGo = texts?.toGo ?? localeWords.toGo;
  const rewardReady = texts?.rewardReady ?? localeWords.rewardReady;
  return {
    title: texts?.title ?? name,
    description: texts?.description ?? texts?.title ?? name,
    stampsLabel: texts?.stampsLabel ?? localeWords.stampsLabel,
    rewardsLabel: texts?.rewardsLabel ?? localeWords.rewardsLabel,
    nextLabel: localeWords.nextLabel,
    rewardLabel: localeWords.rewardLabel,
    termsLabel: localeWords.termsLabel,
    terms: texts?.terms ?? null,
    revoked: isRevoked ? localeWords.revoked : null,
    next: stamps && describeNext(stamps, toGo, rewardReady),
    points: points && describePoints(points, language),
    front: texts?.front ?? [],
    back: texts?.back ?? [],
  };
}

/** Returns text that says how many stamps are missing until the next reward, or that a reward is waiting. */
function describeNext(
  { maxStamps, currentStamps, rewardsAvailable }: StampCounts,
  toGo: string,
  rewardReady: string,
) {
  if (currentStamps === 0 && rewardsAvailable > 0) return rewardReady;
  return toGo.replaceAll("{count}", String(maxStamps - currentStamps));
}

interface FieldContent {
  readonly stamps: StampCounts | null;
  readonly reward: string | null;
  readonly links: readonly CardField[];
  readonly hasNews: boolean;
  readonly isMessageNewest: boolean;
}

function buildFields(
  words: CardTexts["words"],
  { stamps, reward, links, hasNews, isMessageNewest }: FieldContent,
): CardField[] {
  const { title, stampsLabel, nextLabel, next, rewardsLabel, front, back, rewardLabel, termsLabel, terms } =
    words;
  const { points } = words;
  const count = stamps && `${stamps.currentStamps}/${stamps.maxStamps}`;
  const listFields = (place: "front" | "back", texts: DesignTexts["front"]) =>
    texts.map((text, at) => ({ key: `${place}${at}`, place, ...text }));
  const { newsLabel, news } = words;
  const message: CardField = {
    ...{ key: "message", place: "message", label: newsLabel, value: news },
    isAnnounced: isMessageNewest,
  };
  return [
    { key: "title", place: "primary", value: stamps === null && points === null ? title : null },
    ...(points === null ? [] : listPointFields(points, !isMessageNewest)),
    { key: "stamps", place: "header", label: stampsLabel, value: count },
    { key: "next", place: "progress", label: nextLabel, value: next, isAnnounced: !isMessageNewest },
    { key: "rewards", place: "progress", label: rewardsLabel, value: stamps?.rewardsAvailable ?? null },
    ...(hasNews ? [message] : []),
    ...listFields("front", front),
    { key: "reward", place: "back", label: rewardLabel, value: reward },
    ...listFields("back", back),
    ...links,
    { key: "terms", place: "back", label: termsLabel, value: terms },
    ...(hasNews ? [] : [message]),
  ];
}

function listPointFields(points: PointTexts, isAnnounced: boolean): CardField[] {
  const { balanceLabel, balance, expiryLabel, expiry, upcomingLabel, upcoming, debtLabel, debt } = points;
  return [
    { key: "points", place: "primary", label: balanceLabel, value: balance, isAnnounced },
    { key: "expiry", place: "detail", label: expiryLabel, value: expiry },
    { key: "upcoming", place: "detail", label: upcomingLabel, value: upcoming },
    { key: "debt", place: "detail", label: debtLabel, value: debt },
  ];
}

function buildRevokedFields({ title, revoked }: CardTexts["words"]): CardField[] {
  return [
    { key: "title", place: "primary", value: title },
    { key: "revoked", place: "progress", value: revoked },
  ];
}
