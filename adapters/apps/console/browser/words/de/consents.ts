import type * as english from "../en/consents.js";
import type { Translated } from "../translated.js";

export const consents: Translated<typeof english.consents> = {
  panel: "E-Mail und Neuigkeiten",
  address: "Adresse",
  noAddress: "keine",
  notConfirmed: "nicht bestätigt",
  confirmed: (moment) => `bestätigt am ${moment}`,
  language: "Sprache",
  ofCard: "wie die Karte",
  changeLanguage: "Sprache ändern",
  languageHint: "Zum Beispiel en, de oder pt-BR. Leer lassen für die Sprache der Karte.",
  languageTitle: "Sprache der E-Mails",
  save: "Speichern",
  saved: "Gespeichert",
  suppressed: (moment, why) =>
    `An diese Adresse geht seit ${moment} nichts mehr: ${why}. Ändern Sie die Adresse, um wieder zu senden.`,
  noteRefusal: "Widerspruch erfassen",
  noteEnd: "Abmelden",
  noteConsent: "Einwilligung erfassen",
  noteNewConsent: "Neue Einwilligung erfassen",
  wantsNone: (channel) => `${channel}: Kunden abmelden?`,
  noted: "Erfasst",
  untilAgreed:
    "Der Kunde bekommt keine Neuigkeiten mehr, bis er wieder einwilligt. E-Mails mit der Karte sind davon nicht betroffen.",
  title: (channel) => `${channel}: Einwilligung erfassen`,
  verb: "Einwilligung erfassen",
  consentNoted: "Die Einwilligung ist erfasst",
  text: "Text, dem der Kunde zugestimmt hat",
  textHint:
    "Genau so, wie er auf dem Formular stand oder gesagt wurde. Das ist Ihr Nachweis der Einwilligung.",
  when: "Wann",
  afterEnd: "Muss nach der Abmeldung liegen.",
  now: "Leer lassen für jetzt.",
  endedOn: (moment) => `Abgemeldet am ${moment},`,
  ended: "Beendet",
  onlyAfter: "Nur eine Einwilligung danach zählt.",
};

export const channelNames: Translated<typeof english.channelNames> = {
  email: "Neuigkeiten per E-Mail",
  wallet: "Neuigkeiten auf der Karte im Wallet",
};

export const consentStatuses: Translated<typeof english.consentStatuses> = {
  NONE: "nicht gefragt",
  PENDING: "wartet auf Bestätigung",
  SUBSCRIBED: "eingewilligt",
  UNSUBSCRIBED: "abgemeldet",
};

export const sources: Translated<typeof english.sources> = {
  join: "auf der Anmeldeseite",
  api: "erfasst vom Geschäft oder seiner Software",
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
