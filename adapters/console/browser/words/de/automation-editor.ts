import type * as en from "../en/automation-editor.js";
import type { Translated } from "../translated.js";

export const editor: Translated<typeof en.editor> = {
  fresh: "Neue Automatik",
  changeTitle: (name) => `„${name}“ bearbeiten`,
  save: "Speichern",
  make: "Anlegen",
  made: (name) => `„${name}“ ist eingeschaltet`,
  saved: "Gespeichert. Was schon begonnen hat, läuft weiter wie zuvor.",
  wrong: "So lässt sie sich nicht speichern: Was nicht stimmt, steht an seiner Stelle.",
  name: "Name",
  nameHint: "Für Sie und Ihre Leute: Kunden sehen ihn nicht.",
  starts: "Wann",
  start: "Was passiert",
  card: "Karte",
  anyCard: "Irgendeine Karte",
  noCard: "Karte wählen …",
  toGo: "Nur wenn so viele Stempel fehlen",
  toGoHint: "Leer: bei jedem Stempel.",
  segment: "Gruppe",
  noSegment: "Gruppe wählen …",
  segmentHint: "Hier stehen die, die melden, wenn jemand dazukommt oder geht.",
  key: "Wo der Tag steht",
  keyHint:
    "Der Name, den er auf der Seite eines Kunden hat, unter dem Profil, etwa birthday. Ein Datum sieht so aus: 1990-05-31.",
  daysBefore: "Tage vorher",
  daysBeforeHint: "0 ist der Tag selbst. Höchstens 60.",
  at: "Uhrzeit",
  after: "Tage später",
  afterHint: "0 ist sofort, 30 das Höchste. Ob es für den Kunden gilt, wird dann noch einmal geprüft.",
  condition: "Für wen",
  conditionHint: "Ohne Bedingung gilt es für alle.",
  actions: "Was geschieht",
  actionsHint: "In dieser Reihenfolge; alles oder, wo ein Schritt nicht geht, nichts.",
  step: (at) => `Schritt ${at + 1}`,
  action: "Was zu tun ist",
  add: "Schritt hinzufügen",
  remove: (at) => `Schritt ${at + 1} entfernen`,
  tag: "Etikett",
  noTag: "Etikett wählen …",
  count: "Stempel",
  often: "Wie oft",
  per: "Für denselben Kunden",
  everyDays: "Tage dazwischen, mindestens",
  number: "Es fehlt eine ganze Zahl.",
  choose: "Wählen Sie eines aus.",
  text: "Das fehlt noch.",
  gone: "Nicht alles, wovon sie handelt, gibt es noch: Eine Karte oder ein Etikett fehlt.",
};

export const startKinds: Translated<typeof en.startKinds> = [
  ["user.created", "Ein Kunde wird hinzugefügt"],
  ["pass.created", "Jemand bekommt eine Karte"],
  ["pass.installed", "Jemand legt eine Karte in ein Wallet"],
  ["stamp.added", "Jemand bekommt einen Stempel"],
  ["stamp_card.completed", "Eine Karte ist voll"],
  ["stamp_card.redeemed", "Eine Prämie wird ausgegeben"],
  ["segment", "Jemand kommt in eine Gruppe"],
  ["date", "Ein Tag im Jahr kommt, etwa ein Geburtstag"],
];

export const actionKinds: Translated<typeof en.actionKinds> = [
  ["message", "Dem Kunden schreiben"],
  ["addStamps", "Stempel geben"],
  ["giveReward", "Eine Prämie geben"],
  ["assignTag", "Ein Etikett geben"],
  ["unassignTag", "Ein Etikett wegnehmen"],
];

export const oftens: Translated<typeof en.oftens> = [
  ["occasion", "Jedes Mal, wenn es vorkommt"],
  ["once", "Einmal und nie wieder"],
  ["everyDays", "Nicht öfter als alle paar Tage"],
];
