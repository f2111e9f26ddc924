import type * as en from "../en/automation-editor.js";
import type { Translated } from "../translated.js";

export const editor: Translated<typeof en.editor> = {
  fresh: "Neue Automatisierung",
  changeTitle: (name) => `„${name}“ bearbeiten`,
  save: "Speichern",
  make: "Anlegen",
  made: (name) => `„${name}“ ist eingeschaltet`,
  saved: "Gespeichert. Laufende Durchgänge enden nach der vorigen Fassung.",
  wrong: "Korrigieren Sie die markierten Felder und speichern Sie noch einmal.",
  name: "Name",
  nameHint: "Nur Sie und Ihr Team sehen ihn.",
  starts: "Wenn",
  start: "Auslöser",
  card: "Karte",
  anyCard: "Beliebige Karte",
  noCard: "Karte wählen …",
  toGo: "Fehlende Stempel bis zur Prämie",
  toGoHint: "Leer lassen für jeden Stempel.",
  segment: "Gruppe",
  noSegment: "Gruppe wählen …",
  segmentHint: "Nur Gruppen, die melden, wer dazukommt und geht.",
  key: "Notiz mit dem Datum",
  keyHint: "Der Name der Notiz auf der Seite des Kunden, etwa birthday. Ein Datum sieht so aus: 1990-05-31.",
  daysBefore: "Tage vorher",
  daysBeforeHint: "0 bedeutet am Tag selbst. Höchstens 60.",
  at: "Uhrzeit",
  after: "Verzögerung in Tagen",
  afterHint: "0 bedeutet sofort, höchstens 30. Die Bedingung wird dann noch einmal geprüft.",
  condition: "Für wen",
  conditionHint: "Ohne Bedingung läuft sie für alle Kunden.",
  actions: "Dann",
  actionsHint: "In dieser Reihenfolge. Ist ein Schritt nicht möglich, wird keiner ausgeführt.",
  step: (at) => `Schritt ${at + 1}`,
  action: "Aktion",
  add: "Schritt hinzufügen",
  remove: (at) => `Schritt ${at + 1} entfernen`,
  tag: "Etikett",
  noTag: "Etikett wählen …",
  count: "Stempel",
  often: "Wie oft",
  per: "Pro Kunde",
  everyDays: "Mindestens so viele Tage dazwischen",
  number: "Geben Sie eine ganze Zahl ein.",
  choose: "Wählen Sie eines aus.",
  text: "Dieses Feld ist erforderlich.",
  gone: "Eine Karte oder ein Etikett, das sie verwendet, gibt es nicht mehr.",
};

export const startKinds: Translated<typeof en.startKinds> = [
  ["user.created", "Ein Kunde wird hinzugefügt"],
  ["pass.created", "Ein Kunde bekommt eine Karte"],
  ["pass.installed", "Ein Kunde fügt eine Karte zu einem Wallet hinzu"],
  ["stamp.added", "Ein Kunde bekommt einen Stempel"],
  ["stamp_card.completed", "Eine Karte ist voll"],
  ["stamp_card.redeemed", "Eine Prämie wird eingelöst"],
  ["segment", "Ein Kunde kommt in eine Gruppe"],
  ["date", "Ein Datum jährt sich, etwa ein Geburtstag"],
];

export const actionKinds: Translated<typeof en.actionKinds> = [
  ["message", "Nachricht senden"],
  ["addStamps", "Stempel geben"],
  ["giveReward", "Prämie geben"],
  ["assignTag", "Etikett hinzufügen"],
  ["unassignTag", "Etikett entfernen"],
];

export const oftens: Translated<typeof en.oftens> = [
  ["occasion", "Jedes Mal"],
  ["once", "Nur einmal"],
  ["everyDays", "Höchstens alle paar Tage"],
];
