import type * as en from "../en/message-editor.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const composer: Translated<typeof en.composer> = {
  back: "Nachrichten",
  refused: "Sie haben keinen Zugriff auf Nachrichten",
  refusedHint: "Um Nachrichten zu schreiben, brauchen Sie die Berechtigung message:send.",
  label: "Nachricht",
  fresh: "Neue Nachricht",
  save: "Entwurf speichern",
  saved: "Der Entwurf ist gespeichert",
  test: "Test senden",
  send: "Senden …",
  schedule: "Planen …",
  wrong: "Korrigieren Sie die markierten Felder, bevor Sie die Nachricht senden.",
  noCustomer: "Einige davon sind keine Kunden-IDs.",
  noCard: "Diese Karte gibt es nicht mehr.",
  delete: "Entwurf löschen",
  deleteTitle: (name) => `${name} löschen?`,
  deleteVerb: "Löschen",
  deleteHint: "Er wurde noch nicht gesendet. Das lässt sich nicht rückgängig machen.",
  wasDeleted: "Der Entwurf ist gelöscht",
};

export const ways: Translated<typeof en.ways> = {
  title: "Weitere Optionen",
  name: "Name",
  nameHint: "Nur Sie und Ihr Team sehen ihn. Leer lassen, um den Betreff zu verwenden.",
  card: "Karte",
  cardHint: "Um diese Karte geht es in der Nachricht, und auf ihr erscheint sie.",
  noCard: "Keine: eine E-Mail ohne Karte",
  how: "Kanäle",
  onCard: "Auf der Karte im Wallet",
  noWallets: "Auf diesem Server sind noch keine Wallets eingerichtet.",
  byMail: "Per E-Mail",
  noMail: "Dieser Server verschickt noch keine E-Mails.",
  both: "Wenn beides einen Kunden erreicht",
  link: "Link der Schaltfläche in der E-Mail",
  linkHint: "Beginnt mit https://. Leer lassen, um zur Karte zu verlinken.",
};

export const wayChoices: Translated<typeof en.wayChoices> = [
  ["each", "Beides verwenden"],
  ["wallet", "Nur die Karte; sonst eine E-Mail"],
  ["email", "Nur die E-Mail; sonst die Karte"],
];

export const texts: Translated<typeof en.texts> = {
  title: "Texte",
  add: "Sprache hinzufügen",
  text: (number) => `Text ${number}`,
  remove: (number) => `Text ${number} entfernen`,
  firstHint: "Diesen Text bekommen auch Kunden mit allen anderen Sprachen.",
  insert: "Einfügen:",
  chips: {
    name: "Name",
    card: "Karte",
    stamps: "Stempel",
    toGo: "Fehlende Stempel",
    rewards: "Wartende Prämien",
    points: "Punkte",
  },
  onCard: "Auf der Karte",
  onCardHint: (length) => `Auf dem Sperrbildschirm und auf der Karte. ${length}`,
  subject: "Betreff der E-Mail",
  mailText: "Text der E-Mail",
  textHint: (length) => `Text ohne Formatierung. Webadressen werden zu Links. ${length}`,
  length: (length, most) => `${numberText(length)} von ${numberText(most)} Zeichen.`,
  tooLong: (length, most) =>
    `${numberText(length)} von ${numberText(most)} Zeichen, ${numberText(length - most)} zu viel.`,
  missing: (parts) => `Es fehlt noch: ${parts.join(", ")}.`,
  missingOnCard: "der Text auf der Karte",
  missingSubject: "der Betreff der E-Mail",
  missingText: "der Text der E-Mail",
};

export const audience: Translated<typeof en.audience> = {
  title: "Empfänger",
  customers: "Kunden",
  hint: "Erreicht Kunden, die in Neuigkeiten eingewilligt und eine E-Mail-Adresse oder die Karte im Wallet haben.",
  find: "Kunden suchen und hinzufügen",
  ids: "Kunden-IDs",
  idsHint: (count) =>
    `Eine pro Zeile, unsere oder Ihre eigene. ${countText(count, "Kunde", "Kunden")} von 10.000.`,
  segment: "Gruppe",
  segmentHint: (members) =>
    `Derzeit ${countText(members, "Kunde", "Kunden")}. Sie geht an die Kunden, die beim Start des Versands in der Gruppe sind.`,
  noSegment: "Gruppe wählen …",
  found: (count) => `${countText(count, "Kunde", "Kunden")} gefunden.`,
  nothing: "Fügen Sie eine Bedingung hinzu, um die Empfänger zu wählen.",
};

export const audienceKinds: Translated<typeof en.audienceKinds> = [
  ["all", "Alle Kunden"],
  ["segment", "Eine gespeicherte Gruppe"],
  ["filter", "Kunden, die zu einem Filter passen"],
  ["userIds", "Einzelne Kunden"],
];

export const when: Translated<typeof en.when> = {
  title: "Wann",
  begins: "Start",
  beginsHint: (zone) =>
    `In der Zeitzone des Geschäfts, ${zone}. Leer lassen, um gleich beim Senden zu beginnen.`,
  beginsHintHere: (zone) =>
    `In der Zeitzone dieses Geräts, ${zone}. Leer lassen, um gleich beim Senden zu beginnen.`,
  cap: "Kunden überspringen, die schon genug Nachrichten bekommen haben",
  capHint: (messages, days) =>
    `Höchstens ${messages} in ${days} Tagen. Ohne Häkchen bekommen sie die Nachricht trotzdem.`,
  sentUntil: "Senden bis",
  sentUntilHint: "Danach wird sie nicht mehr gesendet. Leer lassen für 24 Stunden.",
  shownUntil: "Auf Karten bis",
  shownUntilHint: "Höchstens 30 Tage. Leer lassen für 7 Tage.",
  isQuiet: (from, to) => `Das liegt in der Ruhezeit (${from} bis ${to}), sie startet deshalb um ${to}.`,
  quietBefore: "Nichts startet in der",
  quietHours: "Ruhezeit",
  quietTimes: (from, to) => ` von ${from} bis ${to}.`,
};

export const preview: Translated<typeof en.preview> = {
  label: "Vorschau",
  title: "So sieht es Anna",
  hint: "Ein Beispielkunde. Empfänger sehen ihren eigenen aktuellen Stand.",
  hintOfCard: (stamps, most) =>
    `Ein Beispielkunde mit ${stamps} von ${most} Stempeln. Empfänger sehen ihren eigenen aktuellen Stand.`,
  noWay: "Wählen Sie mindestens einen Kanal.",
  noText: "Noch kein Text",
  noSubject: "Noch kein Betreff",
  onIphone: "Auf dem Sperrbildschirm eines iPhones",
  inGoogle: "Auf der Karte in Google Wallet",
  now: "jetzt",
  googleNote: "Den Text auf dem Sperrbildschirm bestimmt Google.",
  asMail: "Als E-Mail",
  from: "Von",
  anySender: "dem Absender des Servers",
};
