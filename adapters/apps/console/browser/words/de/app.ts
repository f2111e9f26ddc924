import type * as english from "../en/app.js";
import type { Translated } from "../translated.js";

export const app: Translated<typeof english.app> = {
  title: (screen) => `${screen} · Loyalty-Konsole`,
  console: "Konsole",
  settings: "Einstellungen",
  developers: "Entwickler",
  reference: "API-Referenz",
  more: "Mehr",
  skipToContent: "Zum Inhalt",
  signIn: "Anmelden",
  signOut: "Abmelden",
  sessionEnded: "Ihre Sitzung ist abgelaufen",
  signInAgain: "Melden Sie sich wieder an, um fortzufahren.",
  nothingIsLost: "Melden Sie sich wieder an, dann machen Sie hier weiter. Es geht nichts verloren.",
  signInElsewhere:
    "Melden Sie sich in einem anderen Tab wieder an und machen Sie dann hier weiter. Es geht nichts verloren.",
  openSignIn: "Anmeldeseite öffnen",
  continue: "Weiter",
  apiToken: "API-Token",
  invalidToken: "Dieses API-Token ist ungültig.",
  somethingWentWrong: "Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.",
  unreachable: "Der Server ist nicht erreichbar",
  tryAgain: "Erneut versuchen",
  notFound: "Nicht gefunden",
  pageNotFound: "Seite nicht gefunden",
  addressMayBeWrong: "Vielleicht ist die Adresse falsch, oder die Seite wurde entfernt.",
  goToOverview: "Zur Übersicht",
  leave: "Ohne Speichern verlassen?",
  changesNotSaved: "Ihre Änderungen sind noch nicht gespeichert.",
  leaveWithoutSaving: "Ohne Speichern verlassen",
  stay: "Bleiben",
};
