import type * as en from "../en/cards.js";
import type { Translated } from "../translated.js";

export const cards: Translated<typeof en.cards> = {
  title: "Karten",
  fresh: "Neue Karte",
  none: "Noch keine Karten",
  noneHint: "Legen Sie Ihre erste Karte an: Wählen Sie den Namen und eine fertige Gestaltung.",
  poster: "Plakat",
  more: (name) => `Mehr zu ${name}`,
  joinPage: "Anmeldeseite",
  design: "Gestaltung",
  points: "Punkte für Einkäufe",
  stamps: "Stempel für Einkäufe",
  edit: "Bearbeiten",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `${name} löschen`,
  deleteHint:
    "Sie können nur Karten löschen, die kein Kunde hat. Ihre Plakate funktionieren dann nicht mehr.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
  showNumbers: "Zahlen anzeigen",
  haveIt: "mit dieser Karte",
  stamped: "diese Woche gestempelt",
  waiting: "mit wartender Prämie",
};

export const form: Translated<typeof en.form> = {
  editTitle: "Karte bearbeiten",
  make: "Karte anlegen",
  save: "Speichern",
  wasSaved: (name) => `„${name}“ ist gespeichert`,
  name: "Name der Karte",
  unnamed: "Ihre Karte",
  kind: "Art",
  stampCard: "Stempelkarte",
  memberCard: "Mitgliedskarte, ohne Stempel",
  maxStamps: "Stempel bis zur Prämie",
  maxStampsHint: "1 bis 100",
  maxStampsKept: "1 bis 100. Bestehende Karten behalten ihre Zahl.",
  reward: "Prämie für eine volle Karte",
  preview: "Vorschau",
  shop: "Ihr Geschäft",
  shopHint: "Kunden sehen diesen Namen auf dem Plakat, der Anmeldeseite und in E-Mails.",
  look: "Gestaltung",
  plain: "Eine Farbe",
  color: "Farbe",
  rewardUnlessGiven: (reward) => `Wenn Sie nichts eintragen: „${reward}“`,
};
