import type * as english from "../en/app.js";
import type { Translated } from "../translated.js";

export const app: Translated<typeof english.app> = {
  title: (screen) => `${screen} · Loyalty-Konsole`,
  console: "Konsole",
  settings: "Einstellungen",
  developers: "Entwickler",
  reference: "API-Referenz",
  more: "Mehr",
  skip: "Zum Inhalt",
  signIn: "Anmelden",
  signOut: "Abmelden",
  sessionEnded: "Ihre Sitzung ist abgelaufen",
  signInAgain: "Melden Sie sich wieder an, um fortzufahren.",
  nothingIsLost: "Melden Sie sich wieder an, dann machen Sie hier weiter. Es geht nichts verloren.",
  signInElsewhere:
    "Melden Sie sich in einem anderen Tab wieder an und machen Sie dann hier weiter. Es geht nichts verloren.",
  openSignIn: "Anmeldeseite öffnen",
  goOn: "Weiter",
  key: "API-Token",
  noKey: "Dieses API-Token ist ungültig.",
  refused: "Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.",
  unreachable: "Der Server ist nicht erreichbar",
  tryAgain: "Erneut versuchen",
  notFound: "Nicht gefunden",
  nothingHere: "Seite nicht gefunden",
  mistyped: "Vielleicht ist die Adresse falsch, oder die Seite wurde entfernt.",
  toStart: "Zur Übersicht",
  leave: "Ohne Speichern verlassen?",
  notSaved: "Ihre Änderungen sind noch nicht gespeichert.",
  leaveNow: "Ohne Speichern verlassen",
  stay: "Bleiben",
};
