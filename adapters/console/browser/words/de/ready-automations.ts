import type * as en from "../en/ready-automations.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const ready: Translated<typeof en.ready> = {
  title: "Fertige",
  hint: "Ein Druck zeigt, was sie täte, und noch einer legt sie an.",
  there: (name) => `Dafür haben Sie „${name}“.`,
  make: "Anlegen",
  cancel: "Abbrechen",
  made: (name) => `„${name}“ ist eingeschaltet`,
  name: "Name",
  nameHint: "Für Sie und Ihre Leute: Kunden sehen ihn nicht.",
  needsCard: "Dazu gehört eine Karte mit Stempeln. Legen Sie zuerst unter Karten eine an.",
  toGo: "Stempel, die noch fehlen",
  toGoHint: "1 ist der letzte vor der Prämie.",
  waits: "Tage, nachdem die Karte voll war",
  waitsHint: "Wer die Prämie bis dahin geholt hat, hört nichts. Höchstens 30.",
  stamps: "Stempel als Geschenk",
  stampsHint: "Sie sind auf der Karte, bevor die Nachricht hinausgeht. 0 für keine.",
  key: "Wo der Geburtstag steht",
  keyHint:
    "Der Name, den er auf der Seite eines Kunden hat, unter dem Profil, etwa birthday. Ein Datum sieht so aus: 1990-05-31.",
  at: "Uhrzeit",
  atHint: "Nach den Uhren Ihrer Zeitzone; sie steht unter Einstellungen.",
  reward: "Auch eine Prämie geben",
  rewardHint: "Nur wer die Karte hat, bekommt sie und die Nachricht.",
  days: "Tage ohne Besuch",
  daysHint: "Es beginnt mit denen, die ab jetzt auf so viele Tage kommen.",
  segmentMade: "Die Gruppe dafür gibt es jetzt: Drücken Sie noch einmal, dann entsteht der Rest.",
  number: "Es fehlt eine ganze Zahl.",
  text: "Das fehlt noch.",
  gone: "Diese Karte gibt es nicht mehr.",
  segment: (days) => `Seit ${countText(days, "Tag", "Tagen")} nicht hier`,
  useSegment: (name) => `Sie richtet sich nach Ihrer Gruppe „${name}“.`,
  tellSegment: (name) =>
    `Sie richtet sich nach Ihrer Gruppe „${name}“, die ab dann meldet, wer dazukommt und geht.`,
  makeSegment: (name) => `Die Gruppe „${name}“ wird mit angelegt und bleibt unter Ihren Gruppen.`,
};

export const readyWords: Translated<typeof en.readyWords> = {
  welcome: ["Willkommen", "Schreibt allen, die eine Karte bekommen, auf Wunsch mit Stempeln als Geschenk."],
  nearlyFull: ["Fast voll", "Schreibt, wenn nur noch ein Stempel fehlt."],
  reward: ["Prämie wartet", "Erinnert alle, die ihre Prämie seit einer Woche nicht geholt haben."],
  birthday: ["Geburtstag", "Schreibt zum Geburtstag, auf Wunsch mit einer Prämie."],
  winBack: ["Zurückholen", "Schreibt allen, die seit 60 Tagen nicht hier waren."],
};
