import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import type * as en from "../en/automation-runs.js";
import type { Translated } from "../translated.js";
import { momentText } from "./forms.js";

export const runs: Translated<typeof en.runs> = {
  title: "Was sie getan hat",
  titleOfCustomer: "Von Automatiken getan",
  none: "Bisher nichts. Es beginnt mit dem, was ab jetzt passiert.",
  noneSuch: "Keine solchen.",
  noneForCustomer: "Bisher nichts.",
  toShow: "Welche Läufe",
  noun: "Läufe",
  show: "Zeigen, was getan wurde",
  gone: "eine Automatik, die es nicht mehr gibt",
  hint: "Ob jemand eine E-Mail oder eine Nachricht auf der Karte bekommen hat, steht auf der Seite des Kunden.",
};

export const runStatuses: typeof en.runStatuses = {
  WAITING: "wartet",
  DONE: "getan",
  SKIPPED: "ausgelassen",
  FAILED: "fehlgeschlagen",
};

export const runFilters: Translated<typeof en.runFilters> = [
  ["", "Alle Läufe"],
  ["DONE", "Getan"],
  ["SKIPPED", "Ausgelassen"],
  ["FAILED", "Fehlgeschlagen"],
  ["WAITING", "Wartend"],
];

const reasons: Readonly<Record<string, string>> = {
  condition: "der Kunde war keiner von denen, für die sie gilt",
  late: "es war mehr als einen Tag zu spät",
  done_before: "es wurde für den Kunden schon getan",
  too_many_runs: "in einer Stunde wurden fünf für den Kunden getan",
  disabled: "sie war ausgeschaltet",
  canceled: "eine Kopie der Daten des Geschäfts tut nichts von selbst",
  access_denied: "wer sie angelegt hat, darf das nicht mehr, also wurde sie ausgeschaltet",
  gave_up: "der Server konnte es einen ganzen Tag lang nicht tun",
  resource_not_found: "der Kunde hat keine solche Karte, oder das Etikett gibt es nicht mehr",
  not_a_stamp_card: "die Karte hat keine Stempel",
  too_many_pending_deliveries: "zu viele E-Mails haben gewartet",
};

export const reasonText: typeof en.reasonText = (reason) =>
  reasons[reason] ?? `es wurde abgelehnt (${reason})`;

export const aboutRuns: Translated<typeof en.aboutRuns> = {
  due: (at) => `fällig ${momentText(at)}`,
  atStep: (step, reason) => `bei Schritt ${step}: ${reason}`,
};

export const trial: Translated<typeof en.trial> = {
  open: "Ausprobieren",
  title: (name) => `„${name}“ mit einem Kunden ausprobieren`,
  hint: "Es wird nichts getan: Hier steht, was jetzt geschähe, hätte es für den Kunden gerade begonnen.",
  customer: "Kunde",
  would: "Sie liefe für",
  wouldNot: "Sie liefe nicht für",
  because: (reason) => (reason === null ? "." : `: ${trialReasons[reason] ?? reasonText(reason)}.`),
  condition: "Für wen sie gilt",
  actions: "Was sie täte",
  is: "würde getan",
  isNot: "würde nicht getan",
  close: "Schließen",
};

const trialReasons: Readonly<Record<string, string>> = {
  disabled: "sie ist ausgeschaltet",
  condition: "der Kunde ist keiner von denen, für die sie gilt",
  too_many_runs: "in der letzten Stunde wurden fünf für den Kunden getan",
  access_denied: "wer sie angelegt hat, darf das nicht mehr",
};

export const trialOutcomes: Translated<typeof en.trialOutcomes> = {
  goesOut: (channel) => `geht ${wayText(channel)} hinaus`,
  doesNot: (channel, reason) => `nicht ${wayText(channel)}: ${reason}`,
};

const wayText = (channel: MessageChannel) => (channel === "email" ? "per E-Mail" : "auf der Karte");
