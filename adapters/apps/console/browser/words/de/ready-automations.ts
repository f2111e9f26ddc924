import type * as en from "../en/ready-automations.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const ready: Translated<typeof en.ready> = {
  title: "Vorlagen",
  hint: "Wählen Sie eine Vorlage, um sie anzusehen, und legen Sie sie dann an.",
  there: (name) => `Dafür haben Sie schon „${name}“.`,
  make: "Anlegen",
  cancel: "Abbrechen",
  made: (name) => `„${name}“ ist eingeschaltet`,
  name: "Name",
  nameHint: "Nur Sie und Ihr Team sehen ihn.",
  needsCard: "Dafür brauchen Sie eine Stempelkarte. Legen Sie zuerst unter Karten eine an.",
  toGo: "Fehlende Stempel",
  toGoHint: "1 bedeutet ein Stempel vor der Prämie.",
  waits: "Tage nach der vollen Karte",
  waitsHint: "Wer die Prämie bis dahin eingelöst hat, bekommt keine Nachricht. Höchstens 30.",
  stamps: "Bonusstempel",
  stampsHint: "Werden vor dem Senden der Nachricht hinzugefügt. 0 für keine.",
  key: "Notiz mit dem Geburtstag",
  keyHint: "Der Name der Notiz auf der Seite des Kunden, etwa birthday. Ein Datum sieht so aus: 1990-05-31.",
  at: "Uhrzeit",
  atHint: "In Ihrer Zeitzone, siehe Einstellungen.",
  reward: "Auch eine Prämie geben",
  rewardHint: "Nur Kunden mit der Karte bekommen die Prämie und die Nachricht.",
  days: "Tage ohne Besuch",
  daysHint: "Läuft für Kunden, die diese Zahl von Tagen ab jetzt erreichen.",
  segmentMade: "Die Gruppe wurde angelegt. Drücken Sie noch einmal, um fertigzustellen.",
  number: "Geben Sie eine ganze Zahl ein.",
  text: "Dieses Feld ist erforderlich.",
  gone: "Diese Karte gibt es nicht mehr.",
  segment: (days) => `Seit ${countText(days, "Tag", "Tagen")} kein Besuch`,
  useSegment: (name) => `Sie verwendet Ihre Gruppe „${name}“.`,
  makeSegmentReport: (name) =>
    `Sie verwendet Ihre Gruppe „${name}“, die dann meldet, wer dazukommt und geht.`,
  makeSegment: (name) => `Sie legt auch die Gruppe „${name}“ an, die unter Ihren Gruppen bleibt.`,
};

export const readyWords: Translated<typeof en.readyWords> = {
  welcome: ["Willkommen", "Begrüßen Sie Kunden, die eine Karte bekommen, auf Wunsch mit Bonusstempeln."],
  nearlyFull: ["Fast voll", "Sagen Sie Kunden Bescheid, wenn nur noch ein Stempel fehlt."],
  reward: ["Prämie wartet", "Erinnern Sie Kunden, die ihre Prämie seit einer Woche nicht eingelöst haben."],
  birthday: ["Geburtstag", "Gratulieren Sie zum Geburtstag, auf Wunsch mit einer Prämie."],
  winBack: ["Zurückholen", "Gewinnen Sie Kunden zurück, die seit 60 Tagen nicht da waren."],
};
