import type { MessageChannel } from "../../../../../../src/messages/subscription-schema.js";
import type * as en from "../en/automation-runs.js";
import type { Translated } from "../translated.js";
import { momentText } from "./forms.js";

export const runs: Translated<typeof en.runs> = {
  title: "Läufe",
  titleOfCustomer: "Automatisierungen",
  none: "Noch keine Läufe. Neue Ereignisse lösen sie aus.",
  noneSuch: "Keine passenden Läufe.",
  noneForCustomer: "Noch keine Läufe.",
  toShow: "Läufe filtern",
  noun: "Läufe",
  show: "Zeigen, was geschah",
  gone: "eine gelöschte Automatisierung",
  hint: "E-Mails und Nachrichten stehen auf der Seite des Kunden.",
};

export const runStatuses: typeof en.runStatuses = {
  WAITING: "wartet",
  DONE: "erledigt",
  SKIPPED: "übersprungen",
  FAILED: "fehlgeschlagen",
};

export const runFilters: Translated<typeof en.runFilters> = [
  ["", "Alle Läufe"],
  ["DONE", "Erledigt"],
  ["SKIPPED", "Übersprungen"],
  ["FAILED", "Fehlgeschlagen"],
  ["WAITING", "Wartend"],
];

const reasons: Readonly<Record<string, string>> = {
  condition: "die Bedingung traf auf den Kunden nicht zu",
  late: "es war mehr als einen Tag zu spät",
  done_before: "sie lief für diesen Kunden schon",
  too_many_runs: "der Kunde hatte fünf Läufe in einer Stunde",
  disabled: "sie war ausgeschaltet",
  canceled: "in einer Kopie der Datenbank laufen keine Automatisierungen",
  access_denied: "wer sie angelegt hat, darf das nicht mehr, also wurde sie ausgeschaltet",
  gave_up: "der Server war einen ganzen Tag lang gestört",
  resource_not_found: "der Kunde hat die Karte nicht, oder das Etikett wurde gelöscht",
  not_a_stamp_card: "die Karte hat keine Stempel",
  too_many_pending_deliveries: "zu viele E-Mails haben gewartet",
};

export const reasonText: typeof en.reasonText = (reason) =>
  reasons[reason] ?? `es ist fehlgeschlagen (${reason})`;

export const aboutRuns: Translated<typeof en.aboutRuns> = {
  due: (at) => `fällig ${momentText(at)}`,
  atStep: (step, reason) => `bei Schritt ${step}: ${reason}`,
};

export const trial: Translated<typeof en.trial> = {
  open: "Ausprobieren",
  title: (name) => `„${name}“ mit einem Kunden testen`,
  hint: "Ein Probelauf für einen Kunden: Er zeigt, was jetzt passieren würde, und ändert nichts.",
  customer: "Kunde",
  would: "Sie würde laufen für",
  wouldNot: "Sie würde nicht laufen für",
  because: (reason) => (reason === null ? "." : `: ${trialReasons[reason] ?? reasonText(reason)}.`),
  condition: "Bedingung",
  actions: "Aktionen",
  is: "würde ausgeführt",
  isNot: "würde nicht ausgeführt",
  close: "Schließen",
};

const trialReasons: Readonly<Record<string, string>> = {
  disabled: "sie ist ausgeschaltet",
  condition: "die Bedingung trifft auf den Kunden nicht zu",
  too_many_runs: "der Kunde hatte fünf Läufe in der letzten Stunde",
  access_denied: "wer sie angelegt hat, darf das nicht mehr",
};

export const trialOutcomes: Translated<typeof en.trialOutcomes> = {
  goesOut: (channel) => `geht ${wayText(channel)} hinaus`,
  doesNot: (channel, reason) => `nicht ${wayText(channel)}: ${reason}`,
};

const wayText = (channel: MessageChannel) => (channel === "email" ? "per E-Mail" : "auf der Karte");
