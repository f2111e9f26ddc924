import type * as english from "../en/app.js";
import type { Translated } from "../translated.js";

export const app: Translated<typeof english.app> = {
  title: (screen) => `${screen} · Loyalty-Konsole`,
  console: "Konsole",
  settings: "Einstellungen",
  developers: "Entwickler",
  reference: "API-Referenz",
  more: "Mehr",
  search: "Suche",
  searchKeys: "Strg K",
  skipToContent: "Zum Inhalt",
  signOut: "Abmelden",
  unreachable: "Der Server ist nicht erreichbar",
  tryAgain: "Erneut versuchen",
  notFound: "Nicht gefunden",
  pageNotFound: "Seite nicht gefunden",
  addressMayBeWrong: "Vielleicht ist die Adresse falsch, oder die Seite wurde entfernt.",
  goToOverview: "Zur Übersicht",
  leave: "Ohne Speichern verlassen?",
  changesNotSaved: "Ihre Änderungen sind noch nicht gespeichert.",
  changesBeingSaved: "Ihre Änderungen werden noch gespeichert.",
  leaveWithoutSaving: "Ohne Speichern verlassen",
  stay: "Bleiben",
};
