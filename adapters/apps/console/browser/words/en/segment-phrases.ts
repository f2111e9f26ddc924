import type { LeafName } from "../../../../../../src/segments/leaf-schema.js";
import { countText, dayText, language as own, quoted } from "./forms.js";
import { months } from "./segment-conditions.js";

/** Functions that look up the display names of the cards, tags, and segments that a condition refers to. */
export interface Names {
  readonly card: (id: string) => string;
  readonly tag: (slug: string) => string;
  readonly segment: (slug: string) => string;
}

/** A condition's values as its controls store them. */
type Values = Readonly<Record<string, string>>;

type Phrase = (values: Values, names: Names) => string;

/** Such as "1 day" or "30 days". */
const daysText = (days = "") => countText(Number(days), "day");

const isNone = (days: string | undefined) => Number(days) === 0;

/** Such as "at least 3 stamps" or "2 to 5 stamps". */
function boundsText({ way, min, max }: Values, one: string, many = `${one}s`): string {
  if (way === "between") return `${min} to ${countText(Number(max), one, many)}`;
  const adverb = way === "min" ? "at least" : way === "max" ? "at most" : "exactly";
  const count = Number(way === "max" ? max : min);
  return `${adverb} ${one === "time" && count === 1 ? "once" : countText(count, one, many)}`;
}

/** Names the condition's card. Returns an empty string if the condition isn't limited to one card. */
const onCard = ({ templateId = "" }: Values, names: Names, word: string) =>
  templateId === "" ? "" : ` ${word} ${quoted(names.card(templateId))}`;

const isOneAtLeast = ({ way, min }: Values) => way === "min" && Number(min) === 1;

/** Formats a metadata key. It is quoted unless it looks like a word. */
const keyText = (path = "") => (/^[\p{L}_ -]+$/u.test(path) ? path : quoted(path));

const lastVisit: Phrase = (values, names) => {
  const { way, days } = values;
  const card = onCard(values, names, "with");
  if (way === "never") return `who have never visited${card}`;
  if (way === "withinDays")
    return `who visited${card} ${isNone(days) ? "today" : `in the last ${daysText(days)}`}`;
  return `whose last visit${card} was ${isNone(days) ? "before today" : `more than ${daysText(days)} ago`}`;
};

const visits: Phrase = (values, names) => {
  const { days } = values;
  const since = isNone(days) ? "today" : `in the last ${daysText(days)}`;
  return `who visited ${boundsText(values, "time")}${onCard(values, names, "with")} ${since}`;
};

const pointsExpire: Phrase = (values, names) => {
  const { withinDays } = values;
  const end = isNone(withinDays) ? "today" : `today or in the next ${daysText(withinDays)}`;
  return `whose points${onCard(values, names, "on")} expire ${end}`;
};

const purchases: Phrase = (values) => {
  const since = isNone(values.days) ? "today" : `in the last ${daysText(values.days)}`;
  return `who made ${boundsText(values, "purchase")} ${since}`;
};

/** Formats minor units as an amount. An unknown currency is written as it is. */
function amountText(minorUnits = "", currency = ""): string {
  try {
    const format = new Intl.NumberFormat(own, { style: "currency", currency });
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    return format.format(Number(minorUnits) / 10 ** digits);
  } catch {
    return `${minorUnits} ${currency}`;
  }
}

const spent: Phrase = ({ way, min, max, currency, days }) => {
  const since = isNone(days) ? "today" : `in the last ${daysText(days)}`;
  const [low, high] = [amountText(min, currency), amountText(max, currency)];
  if (way === "between") return `who spent ${low} to ${high} ${since}`;
  const adverb = way === "min" ? "at least" : way === "max" ? "at most" : "exactly";
  return `who spent ${adverb} ${way === "max" ? high : low} ${since}`;
};

const wallet: Phrase = ({ installed, platform, templateId = "" }, names) => {
  const card = templateId === "" ? "" : names.card(templateId);
  const wallets = { apple: "Apple Wallet", google: "Google Wallet" };
  const where = platform === "apple" || platform === "google" ? wallets[platform] : "a wallet";
  if (installed !== "true")
    return `who have ${card === "" ? "no card" : `no card ${quoted(card)}`} in ${where}`;
  return card === "" ? `whose card is in ${where}` : `whose card ${quoted(card)} is in ${where}`;
};

const joined: Phrase = ({ way, days, from = "", to = "" }) => {
  if (way === "withinDays")
    return `who signed up ${isNone(days) ? "today" : `in the last ${daysText(days)}`}`;
  if (way === "beforeDays")
    return `who signed up ${isNone(days) ? "before today" : `more than ${daysText(days)} ago`}`;
  const begin = from === "" ? "" : ` on ${dateText(from)} or later`;
  const end = to === "" ? "" : ` before ${dateText(to)}`;
  return `who signed up${begin}${begin !== "" && end !== "" ? ", but" : ""}${end}`;
};

/** Formats a day for display. A time is returned unchanged. */
function dateText(written: string): string {
  if (Number.isNaN(Date.parse(written))) return written;
  return written.length > 10 ? written : dayText(`${written}T12:00:00`);
}

const anniversary: Phrase = ({ path, way, month, days }) => {
  const monthText = months.find(([value]) => value === month)?.[1] ?? "";
  const nextDays = isNone(days) ? "today" : `today or in the next ${daysText(days)}`;
  return `whose ${keyText(path)} is ${way === "month" ? monthText : nextDays}`;
};

const fieldWords: Readonly<Record<string, string>> = {
  phone: "phone number",
  name: "name",
  externalId: "customer number",
};

const metadata: Phrase = ({ path, way, text, number, min, max, days }) => {
  const key = keyText(path);
  const what: Readonly<Record<string, string>> = {
    text: `is ${quoted(text ?? "")}`,
    number: `is ${number}`,
    yes: "is true",
    no: "is false",
    between: min === "" ? `is at most ${max}` : max === "" ? `is at least ${min}` : `is ${min} to ${max}`,
    withinDays: isNone(days) ? "is today or later" : `is no more than ${daysText(days)} ago`,
    beforeDays: isNone(days) ? "is before today" : `is more than ${daysText(days)} ago`,
    exists: "is set",
    missing: "isn’t set",
  };
  return `whose ${key} ${what[way ?? ""] ?? ""}`;
};

const consentWords: Readonly<Record<string, string>> = {
  SUBSCRIBED: "who opted in to news",
  UNSUBSCRIBED: "who unsubscribed from news",
  PENDING: "who haven’t confirmed their opt-in to news yet",
  NONE: "who haven’t been asked about news",
};

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(own, { type: "language" }).of(tag.trim()) ?? tag;
  } catch {
    return tag;
  }
}

/** A phrase for each type of condition. The phrase follows "customers", as in "who have the card …". */
export const phrases: Readonly<Record<LeafName, Phrase>> = {
  slug: ({ slug = "" }, names) => `who have the tag ${quoted(names.tag(slug))}`,
  segment: ({ segment = "" }, names) => `who are in the segment ${quoted(names.segment(segment))}`,
  stamps: (values, names) =>
    values.way === "any"
      ? `who have the card ${quoted(names.card(values.templateId ?? ""))}`
      : `who have ${boundsText(values, "stamp")}${onCard(values, names, "on")}`,
  points: (values, names) =>
    values.way === "any"
      ? `who have the card ${quoted(names.card(values.templateId ?? ""))}`
      : `who have ${boundsText(values, "point")}${onCard(values, names, "on")}`,
  pointsExpire,
  spent,
  purchases,
  rewards: (values, names) =>
    `who have ${isOneAtLeast(values) ? "a reward waiting" : `${boundsText(values, "reward")} waiting`}${onCard(values, names, "on")}`,
  completions: (values, names) =>
    `who have filled ${values.templateId ? `the card ${quoted(names.card(values.templateId))}` : "a card"}${isOneAtLeast(values) ? "" : ` ${boundsText(values, "time")}`}`,
  lastVisit,
  visits,
  joined,
  metadata,
  anniversary,
  field: ({ name = "", exists }) =>
    `who have ${exists === "true" ? articled(fieldWords[name] ?? name) : `no ${fieldWords[name] ?? name}`}`,
  wallet,
  subscription: ({ channel, status = "" }) =>
    `${consentWords[status] ?? ""} ${channel === "email" ? "by email" : "on the wallet card"}`,
  language: ({ language = "" }) => `whose language is ${languageName(language)}`,
};

const articled = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** Text that joins phrases into a sentence. */
export const joins = {
  AND: "and",
  OR: "or",
  none: (phrases: string) => `except those ${phrases}`,
  whole: (phrases: string) => `Customers ${phrases}.`,
  everybody: "Customers …",
  unfinished: "…",
  other: "who match a custom condition",
} as const;
