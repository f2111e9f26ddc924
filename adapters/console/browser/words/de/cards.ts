import type * as en from "../en/cards.js";
import type { Translated } from "../translated.js";

export const cards: Translated<typeof en.cards> = {
  title: "Karten",
  fresh: "Neue Karte",
  none: "Noch keine Karten",
  noneHint: "Legen Sie die erste an: wie sie heißt und wie viele Stempel sie füllen.",
  poster: "Plakat",
  more: (name) => `Mehr zu ${name}`,
  joinPage: "Anmeldeseite",
  design: "Gestaltung",
  edit: "Bearbeiten",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `${name} löschen`,
  deleteHint:
    "Nur eine Karte, die kein Kunde hat, lässt sich löschen. Ihre Plakate führen dann nirgendwohin.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
  showNumbers: "Zahlen zeigen",
  haveIt: "haben sie",
  stamped: "diese Woche gestempelt",
  waiting: "mit wartender Prämie",
};

export const form: Translated<typeof en.form> = {
  editTitle: "Karte bearbeiten",
  make: "Karte anlegen",
  save: "Speichern",
  wasSaved: (name) => `„${name}“ ist gespeichert`,
  name: "Name",
  unnamed: "Ihre Karte",
  kind: "Art",
  stampCard: "Stempelkarte",
  memberCard: "Mitgliedskarte, ohne Stempel",
  maxStamps: "Stempel bis zur Prämie",
  maxStampsHint: "1 bis 100",
  maxStampsKept: "1 bis 100. Karten, die Kunden haben, behalten ihre Zahl.",
  reward: "Was eine volle Karte bringt",
  preview: "Vorschau",
};
