import type * as en from "../en/message-editor.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const composer: Translated<typeof en.composer> = {
  back: "Nachrichten",
  refused: "Nachrichten sind nicht für Ihre Anmeldung",
  refusedHint: "Zum Schreiben melden Sie sich mit einer an, die die Berechtigung message:send hat.",
  label: "Nachricht",
  fresh: "Neue Nachricht",
  save: "Entwurf speichern",
  saved: "Der Entwurf ist gespeichert",
  test: "Probe senden",
  send: "Senden …",
  schedule: "Planen …",
  wrong: "So kann die Nachricht nicht hinausgehen: Was nicht stimmt, steht an seiner Stelle.",
  noCustomer: "Nicht jede davon ist die ID eines Kunden.",
  noCard: "Diese Karte gibt es nicht mehr.",
  delete: "Entwurf löschen",
  deleteTitle: (name) => `${name} löschen?`,
  deleteVerb: "Löschen",
  deleteHint: "Er wurde niemandem gesendet. Das lässt sich nicht rückgängig machen.",
  wasDeleted: "Der Entwurf ist gelöscht",
};

export const ways: Translated<typeof en.ways> = {
  title: "Name und Wege",
  name: "Name",
  nameHint: "Für Sie und Ihre Leute: Kunden sehen ihn nicht.",
  card: "Karte",
  cardHint: "Von dieser Karte handelt die Nachricht, und auf ihr steht sie.",
  noCard: "Keine: eine E-Mail ohne Karte",
  how: "Wie sie ankommt",
  onCard: "Auf der Karte im Wallet",
  noWallets: "Auf diesem Server sind noch keine Wallets eingerichtet.",
  byMail: "Per E-Mail",
  noMail: "Dieser Server sendet noch keine E-Mails.",
  both: "Wo beides einen Kunden erreicht",
  link: "Wohin der Knopf der E-Mail führt",
  linkHint: "Eine Adresse, die mit https:// beginnt. Leer: zur Seite der Karte des Kunden.",
};

export const wayChoices: Translated<typeof en.wayChoices> = [
  ["each", "Beides verwenden"],
  ["wallet", "Nur die Karte; sonst eine E-Mail"],
  ["email", "Nur die E-Mail; sonst die Karte"],
];

export const texts: Translated<typeof en.texts> = {
  title: "Texte",
  placeholders: "`{name}` steht für den Namen des Kunden.",
  placeholdersOfCard:
    "`{name}` steht für den Namen des Kunden, `{card}` für den der Karte, `{stamps}`, `{toGo}` und `{rewards}` für die Stempel darauf, die fehlenden und die wartenden Prämien.",
  add: "Sprache hinzufügen",
  text: (number) => `Text ${number}`,
  remove: (number) => `Text ${number} entfernen`,
  language: "Sprache",
  languageHint: "Etwa de oder pt-BR.",
  firstHint: "Etwa de oder pt-BR. Wer keine der anderen spricht, liest auch diesen Text.",
  onCard: "Auf der Karte",
  onCardHint: (length) => `Auf dem Sperrbildschirm und auf der Karte. ${length}`,
  subject: "Betreff der E-Mail",
  mailText: "Text der E-Mail",
  textHint: (length) => `Reiner Text; Adressen darin werden zu Links. ${length}`,
  length: (length, most) => `${numberText(length)} von ${numberText(most)} Zeichen.`,
  tooLong: (length, most) =>
    `${numberText(length)} von ${numberText(most)} Zeichen, ${numberText(length - most)} zu viel.`,
  missing: (parts) => `Es fehlt noch: ${parts.join(", ")}.`,
  missingOnCard: "der Text auf der Karte",
  missingSubject: "der Betreff der E-Mail",
  missingText: "der Text der E-Mail",
};

export const audience: Translated<typeof en.audience> = {
  title: "An wen",
  customers: "Kunden",
  hint: "Davon erreicht sie alle, die in Neuigkeiten eingewilligt und eine Adresse oder die Karte im Wallet haben.",
  find: "Kunden suchen und hinzufügen",
  ids: "IDs von Kunden",
  idsHint: (count) => `Je Zeile eine, unsere oder Ihre. ${countText(count, "Kunde", "Kunden")} von 10.000.`,
  segment: "Gruppe",
  segmentHint: (members) =>
    `Jetzt ${countText(members, "Kunde", "Kunden")} darin. Wer darin ist, wenn die Nachricht beginnt, bekommt sie.`,
  noSegment: "Gruppe wählen …",
  found: (count) => `${countText(count, "Kunde", "Kunden")} gefunden.`,
  nothing: "Fügen Sie eine Bedingung hinzu, um zu sagen, wer sie bekommt.",
};

export const audienceKinds: Translated<typeof en.audienceKinds> = [
  ["all", "Alle"],
  ["segment", "Eine gespeicherte Gruppe"],
  ["filter", "Kunden nach dem, was sie tun, haben oder sind"],
  ["userIds", "Einzelne Kunden"],
];

export const when: Translated<typeof en.when> = {
  title: "Wann",
  begins: "Beginnt",
  beginsHint: (zone) => `Nach den Uhren von ${zone}. Leer: sobald Sie sie senden.`,
  cap: "Auslassen, wer genug Nachrichten hatte",
  capHint: (messages, days) =>
    `Höchstens ${messages} in ${days} Tagen. Ohne dieses Häkchen bekommen sie sie trotzdem.`,
  counts: "Wie lange sie gilt",
  sentUntil: "Gesendet bis",
  sentUntilHint: "Danach an niemanden mehr. Leer: 24 Stunden lang.",
  shownUntil: "Auf Karten bis",
  shownUntilHint: "Höchstens 30 Tage. Leer: 7 Tage lang.",
  isQuiet: (from, to) => `Das liegt in der Ruhezeit von ${from} bis ${to}: Sie beginnt um ${to}.`,
  quietBefore: "Nichts beginnt in der",
  quietHours: "Ruhezeit",
  quietTimes: (from, to) => ` von ${from} bis ${to}.`,
};

export const preview: Translated<typeof en.preview> = {
  label: "Vorschau",
  title: "So sieht es Anna",
  hint: "Ein Beispiel eines Kunden. Die Stempel sind die des Augenblicks, in dem gelesen wird.",
  hintOfCard: (stamps, most) =>
    `Ein Beispiel eines Kunden mit ${stamps} von ${most} Stempeln. Die Stempel sind die des Augenblicks, in dem gelesen wird.`,
  noWay: "Wählen Sie, wie die Nachricht ankommt.",
  noText: "Noch kein Text",
  noSubject: "Noch kein Betreff",
  onIphone: "Auf dem Sperrbildschirm eines iPhones",
  inGoogle: "Auf der Karte in Google Wallet",
  now: "jetzt",
  googleNote: "Die Worte auf dem Sperrbildschirm wählt Google selbst.",
  asMail: "Als E-Mail",
  from: "Von",
  anySender: "dem Absender des Servers",
};
