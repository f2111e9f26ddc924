import type * as en from "../en/segment-phrases.js";
import type { Translated } from "../translated.js";
import { countText, dayText, language as own, quoted } from "./forms.js";
import { months } from "./segment-conditions.js";

type Phrase = (typeof en.phrases)[keyof typeof en.phrases];
type Values = Parameters<Phrase>[0];
type Names = en.Names;

/** Such as "1 Tag" or "30 Tage". */
const daysText = (days = "") => countText(Number(days), "Tag", "Tage");

/** Such as "heute" or "in den letzten 30 Tagen". */
function lately(days = ""): string {
  const count = Number(days);
  if (count === 0) return "heute";
  return count === 1 ? "heute oder gestern" : `in den letzten ${countText(count, "Tag", "Tagen")}`;
}

const isNone = (days: string | undefined) => Number(days) === 0;

/** Such as "mindestens 3 Stempel" or "2 bis 5 Stempel". */
function boundsText({ way, min, max }: Values, one: string, many: string): string {
  if (way === "between") return `${min} bis ${countText(Number(max), one, many)}`;
  const adverb = way === "min" ? "mindestens" : way === "max" ? "höchstens" : "genau";
  return `${adverb} ${countText(Number(way === "max" ? max : min), one, many)}`;
}

/** Names the condition's card. Returns an empty string if the condition isn't limited to one card. */
const onCard = ({ templateId = "" }: Values, names: Names, word: "auf" | "mit") =>
  templateId === "" ? "" : ` ${word} der Karte ${quoted(names.card(templateId))}`;

const isOneAtLeast = ({ way, min }: Values) => way === "min" && Number(min) === 1;

const lastVisit: Phrase = (values, names) => {
  const { way, days } = values;
  const card = onCard(values, names, "mit");
  if (way === "never") return `die${card} noch nie hier waren`;
  if (way === "withinDays") return `die${card} ${lately(days)} hier waren`;
  return `deren letzter Besuch${card} ${isNone(days) ? "vor dem heutigen Tag war" : `mehr als ${daysText(days)} her ist`}`;
};

const visits: Phrase = (values, names) => {
  const card = onCard(values, names, "mit");
  return `die${card} ${lately(values.days)} ${boundsText(values, "Mal", "Mal")} hier waren`;
};

const pointsExpire: Phrase = (values, names) => {
  const { withinDays } = values;
  const end = isNone(withinDays)
    ? "heute"
    : `heute oder in den nächsten ${countText(Number(withinDays), "Tag", "Tagen")}`;
  return `deren Punkte${onCard(values, names, "auf")} ${end} verfallen`;
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
  const [low, high] = [amountText(min, currency), amountText(max, currency)];
  const adverb = way === "min" ? "mindestens" : way === "max" ? "höchstens" : "genau";
  const amount = way === "between" ? `${low} bis ${high}` : `${adverb} ${way === "max" ? high : low}`;
  return `die ${lately(days)} für ${amount} eingekauft haben`;
};

const wallet: Phrase = ({ installed, platform, templateId = "" }, names) => {
  const card = templateId === "" ? "" : ` ${quoted(names.card(templateId))}`;
  const wallets = { apple: "Apple Wallet", google: "Google Wallet" };
  const where = platform === "apple" || platform === "google" ? wallets[platform] : "einem Wallet";
  return installed === "true"
    ? `deren Karte${card} in ${where} ist`
    : `die keine Karte${card} in ${where} haben`;
};

const joined: Phrase = ({ way, days, from = "", to = "" }) => {
  if (way === "withinDays") return `die ${lately(days)} Kunden geworden sind`;
  if (way === "beforeDays")
    return isNone(days)
      ? "die schon vor heute Kunden waren"
      : `die seit mehr als ${countText(Number(days), "Tag", "Tagen")} Kunden sind`;
  const begin = from === "" ? "" : ` am ${dateText(from)} oder später`;
  const end = to === "" ? "" : ` vor dem ${dateText(to)}`;
  return `die${begin}${begin !== "" && end !== "" ? ", aber" : ""}${end} Kunden geworden sind`;
};

/** Formats a day for display. A time is returned unchanged. */
function dateText(written: string): string {
  if (Number.isNaN(Date.parse(written))) return written;
  return written.length > 10 ? written : dayText(`${written}T12:00:00`);
}

const anniversary: Phrase = ({ path = "", way, month, days }) => {
  const monthText = months.find(([value]) => value === month)?.[1] ?? "";
  const nextDays = isNone(days)
    ? "heute"
    : `heute oder in den nächsten ${countText(Number(days), "Tag", "Tagen")}`;
  return `deren ${quoted(path)} ${way === "month" ? monthText : nextDays} ist`;
};

const fieldWords: Readonly<Record<string, readonly [known: string, missing: string]>> = {
  phone: ["eine Telefonnummer", "keine Telefonnummer"],
  name: ["ein Name", "kein Name"],
  externalId: ["eine Kundennummer", "keine Kundennummer"],
};

const field: Phrase = ({ name = "", exists }) => {
  const [known, missing] = fieldWords[name] ?? [name, `kein ${name}`];
  return `von denen ${exists === "true" ? known : missing} bekannt ist`;
};

const metadata: Phrase = ({ path = "", way, text, number, min, max, days }) => {
  const what: Readonly<Record<string, string>> = {
    text: `${quoted(text ?? "")} ist`,
    number: `${number} ist`,
    yes: "wahr ist",
    no: "falsch ist",
    between: `${min === "" ? `höchstens ${max}` : max === "" ? `mindestens ${min}` : `${min} bis ${max}`} ist`,
    withinDays: isNone(days) ? "heute oder später ist" : `höchstens ${daysText(days)} her ist`,
    beforeDays: isNone(days) ? "vor dem heutigen Tag liegt" : `mehr als ${daysText(days)} her ist`,
    exists: "gesetzt ist",
    missing: "nicht gesetzt ist",
  };
  return `deren ${quoted(path)} ${what[way ?? ""] ?? ""}`;
};

/** Phrases for consent, split before and after the channel. */
const consentWords: Readonly<Record<string, readonly [before: string, after: string]>> = {
  SUBSCRIBED: ["die in Neuigkeiten", "eingewilligt haben"],
  UNSUBSCRIBED: ["die sich von Neuigkeiten", "abgemeldet haben"],
  PENDING: ["die Neuigkeiten", "noch nicht bestätigt haben"],
  NONE: ["die nach Neuigkeiten", "nicht gefragt wurden"],
};

const subscription: Phrase = ({ channel, status = "" }) => {
  const [before = "", after = ""] = consentWords[status] ?? [];
  return `${before} ${channel === "email" ? "per E-Mail" : "auf der Karte im Wallet"} ${after}`;
};

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(own, { type: "language" }).of(tag.trim()) ?? tag;
  } catch {
    return tag;
  }
}

export const phrases: typeof en.phrases = {
  slug: ({ slug = "" }, names) => `die das Etikett ${quoted(names.tag(slug))} haben`,
  segment: ({ segment = "" }, names) => `die in der Gruppe ${quoted(names.segment(segment))} sind`,
  stamps: (values, names) =>
    values.way === "any"
      ? `die die Karte ${quoted(names.card(values.templateId ?? ""))} haben`
      : `die ${boundsText(values, "Stempel", "Stempel")}${onCard(values, names, "auf")} haben`,
  points: (values, names) =>
    values.way === "any"
      ? `die die Karte ${quoted(names.card(values.templateId ?? ""))} haben`
      : `die ${boundsText(values, "Punkt", "Punkte")}${onCard(values, names, "auf")} haben`,
  pointsExpire,
  spent,
  purchases: (values) =>
    `die ${lately(values.days)} ${boundsText(values, "Einkauf", "Einkäufe")} gemacht haben`,
  rewards: (values, names) => {
    const card = onCard(values, names, "mit");
    if (isOneAtLeast(values)) return `auf die${card} eine Prämie wartet`;
    return `die${card} ${boundsText(values, "wartende Prämie", "wartende Prämien")} haben`;
  },
  completions: (values, names) =>
    `die ${values.templateId ? `die Karte ${quoted(names.card(values.templateId))}` : "eine Karte"}${isOneAtLeast(values) ? "" : ` ${boundsText(values, "Mal", "Mal")}`} gefüllt haben`,
  lastVisit,
  visits,
  joined,
  metadata,
  anniversary,
  field,
  wallet,
  subscription,
  language: ({ language = "" }) => `deren Sprache ${languageName(language)} ist`,
};

export const joins: Translated<typeof en.joins> = {
  AND: "und",
  OR: "oder",
  none: (phrases) => `die nicht zu denen gehören, ${phrases}`,
  whole: (phrases) => `Kunden, ${phrases}.`,
  everybody: "Kunden …",
  unfinished: "…",
  other: "für die eine andere Bedingung gilt",
};
