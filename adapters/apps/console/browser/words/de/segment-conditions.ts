import type * as en from "../en/segment-conditions.js";
import type { Translated } from "../translated.js";
import { language } from "./forms.js";

export const visitWays: Translated<typeof en.visitWays> = [
  ["withinDays", "in den letzten"],
  ["beforeDays", "vor mehr als"],
  ["never", "noch nie"],
];

export const boundWays: Translated<typeof en.boundWays> = [
  ["min", "mindestens"],
  ["max", "höchstens"],
  ["exact", "genau"],
  ["between", "zwischen"],
];

export const stampWays: Translated<typeof en.stampWays> = [["any", "beliebig viele"], ...boundWays];

export const joinedWays: Translated<typeof en.joinedWays> = [
  ["withinDays", "in den letzten"],
  ["beforeDays", "vor mehr als"],
  ["between", "zwischen zwei Tagen"],
];

export const metadataWays: Translated<typeof en.metadataWays> = [
  ["text", "ist der Text"],
  ["number", "ist die Zahl"],
  ["yes", "ist wahr"],
  ["no", "ist falsch"],
  ["between", "ist eine Zahl von"],
  ["withinDays", "ist ein Tag in den letzten"],
  ["beforeDays", "ist ein Tag vor mehr als"],
  ["exists", "ist gesetzt"],
  ["missing", "ist nicht gesetzt"],
];

const monthName = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });

export const months: typeof en.months = [
  ["this", "in diesem Monat"],
  ...Array.from(
    { length: 12 },
    (_, at) => [String(at + 1), `im ${monthName.format(Date.UTC(2024, at, 1))}`] as const,
  ),
];

export const anniversaryWays: Translated<typeof en.anniversaryWays> = [
  ["month", "ist"],
  ["withinDays", "ist in den nächsten"],
];

export const existsWays: Translated<typeof en.existsWays> = [
  ["true", "ist angegeben"],
  ["false", "ist nicht angegeben"],
];

export const fieldNames: Translated<typeof en.fieldNames> = [
  ["phone", "Telefonnummer"],
  ["name", "Name"],
  ["externalId", "Kundennummer"],
];

export const installedWays: Translated<typeof en.installedWays> = [
  ["true", "ist in"],
  ["false", "ist nicht in"],
];

export const platforms: Translated<typeof en.platforms> = [
  ["", "einem beliebigen Wallet"],
  ["apple", "Apple Wallet"],
  ["google", "Google Wallet"],
];

export const channels: Translated<typeof en.channels> = [
  ["email", "per E-Mail"],
  ["wallet", "auf der Karte im Wallet"],
];

export const consents: Translated<typeof en.consents> = [
  ["SUBSCRIBED", "hat in Neuigkeiten eingewilligt"],
  ["UNSUBSCRIBED", "hat sich von Neuigkeiten abgemeldet"],
  ["PENDING", "hat Neuigkeiten noch nicht bestätigt"],
  ["NONE", "wurde nicht nach Neuigkeiten gefragt"],
];

export const daysBack: typeof en.daysBack = () => "Tagen";

export const labels: Translated<typeof en.labels> = {
  way: "Vergleich",
  days: "Tage",
  least: "Mindestens",
  most: "Höchstens",
  and: "und",
  to: "Vor dem Tag",
  until: "und vor dem",
  upTo: "bis",
  daysAfter: "Tagen",
  visitsIn: "Besuche in den letzten",
  stampsOn: "Stempel auf",
  pointsOn: "Punkte auf",
  daysOn: "Tagen, auf",
  purchasesIn: "Einkäufe in den letzten",
  minorUnits: "Cent (oder andere kleinste Einheit)",
  currency: "Währung, wie EUR",
  daysBack: "In den letzten",
  rewards: "Prämien",
  times: "Mal",
  card: "Karte",
  anyCard: "beliebige Karte",
  noCard: "Karte wählen …",
  gone: "gelöscht",
  tag: "Etikett",
  noTag: "Etikett wählen …",
  segment: "Gruppe",
  noSegment: "Gruppe wählen …",
  key: "Name der Notiz",
  keyHint: "birthday oder address.city",
  value: "Wert",
  from: "Ab dem Tag",
  month: "Monat",
  what: "Was",
  wallet: "Wallet",
  channel: "Kanal",
  consent: "Einwilligung",
  language: "Wie de oder en-GB",
  other: "Eine andere Bedingung",
};

export const incompleteFilter: string = "Vervollständigen oder entfernen Sie die markierten Bedingungen.";
