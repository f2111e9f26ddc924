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
  sessionEnded: "Ihre Sitzung ist zu Ende",
  signInAgain: "Melden Sie sich wieder an, dann geht es weiter.",
  nothingIsLost: "Melden Sie sich wieder an, dann geht es hier weiter. Nichts ist verloren.",
  signInElsewhere:
    "Melden Sie sich in einem anderen Tab wieder an, dann geht es hier weiter. Nichts ist verloren.",
  openSignIn: "Anmeldeseite öffnen",
  goOn: "Weiter",
  key: "Schlüssel",
  noKey: "Das ist kein gültiger Schlüssel.",
  refused: "Der Server hat es abgelehnt. Versuchen Sie es bald noch einmal.",
  unreachable: "Der Server ist nicht erreichbar",
  tryAgain: "Noch einmal versuchen",
  notFound: "Nicht gefunden",
  nothingHere: "Hier ist nichts",
  mistyped: "Die Adresse ist vielleicht vertippt, oder was hier war, ist weg.",
  toStart: "Zum Anfang",
  leave: "Ohne Speichern verlassen?",
  notSaved: "Was Sie hier geändert haben, ist noch nicht gespeichert.",
  leaveNow: "Ohne Speichern verlassen",
  stay: "Bleiben",
};
