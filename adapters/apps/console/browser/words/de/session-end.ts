import type * as english from "../en/session-end.js";
import type { Translated } from "../translated.js";

export const sessionEnd: Translated<typeof english.sessionEnd> = {
  signIn: "Anmelden",
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
};
