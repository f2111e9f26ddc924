import type * as english from "../en/consents.js";
import type { Translated } from "../translated.js";

export const consents: Translated<typeof english.consents> = {
  panel: "E-Mail und Neuigkeiten",
  address: "Adresse",
  noAddress: "keine",
  notConfirmed: "nicht bestätigt",
  confirmed: (moment) => `bestätigt am ${moment}`,
  language: "Sprache",
  ofCard: "die der Karte",
  changeLanguage: "Sprache ändern",
  languageHint: "Zum Beispiel en, de oder pt-BR. Leer: die der Karte.",
  languageTitle: "Sprache der E-Mails",
  save: "Speichern",
  saved: "Gespeichert",
  suppressed: (moment, why) =>
    `An diese Adresse geht seit ${moment} nichts mehr: ${why}. Das endet, wenn sie geändert wird.`,
  noteRefusal: "Ablehnung vermerken",
  noteEnd: "Ende vermerken",
  noteConsent: "Einwilligung vermerken",
  noteNewConsent: "Neue Einwilligung vermerken",
  wantsNone: (channel) => `${channel}: Der Kunde will keine?`,
  noted: "Vermerkt",
  untilAgreed:
    "Ab jetzt kommen keine mehr, bis der Kunde neu einwilligt. E-Mails mit der Karte gehören nicht dazu.",
  title: (channel) => `${channel}: eine Einwilligung`,
  verb: "Einwilligung vermerken",
  consentNoted: "Die Einwilligung ist vermerkt",
  text: "Die Worte, denen der Kunde zugestimmt hat",
  textHint: "Wie sie auf dem Formular standen oder gesagt wurden. Sie sind der Nachweis.",
  when: "Wann",
  afterEnd: "Nach dem Ende.",
  now: "Jetzt, wenn nichts angegeben ist.",
  endedOn: (moment) => `Beendet am ${moment},`,
  ended: "Beendet",
  onlyAfter: "Nur eine Einwilligung danach zählt.",
};

export const channelNames: Translated<typeof english.channelNames> = {
  email: "Neuigkeiten per E-Mail",
  wallet: "Neuigkeiten auf der Karte im Wallet",
};

export const consentStatuses: Translated<typeof english.consentStatuses> = {
  NONE: "nicht gefragt",
  PENDING: "vom Kunden noch zu bestätigen",
  SUBSCRIBED: "eingewilligt",
  UNSUBSCRIBED: "will keine",
};

export const sources: Translated<typeof english.sources> = {
  join: "auf der Anmeldeseite",
  api: "vermerkt vom Geschäft oder seiner Software",
  customer: "vom Kunden, angemeldet",
  import: "importiert",
  link: "vom Kunden, über den Link in einer E-Mail",
  bounce: "vom Kunden, der eine E-Mail als Spam gemeldet hat",
};

export const suppressions: Translated<typeof english.suppressions> = {
  bounced: "E-Mails kamen zurück",
  complained: "der Kunde wollte keine E-Mails mehr oder hat eine als Spam gemeldet",
  refused: "der Mailserver sagt, dass es die Adresse nicht gibt",
};
