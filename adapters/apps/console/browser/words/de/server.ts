import type * as english from "../en/server.js";
import type { Translated } from "../translated.js";

export const server: Translated<typeof english.server> = {
  about:
    "Nur wer den Server betreibt, sieht diese Seite. Sie zeigt, was „loyalty-kit doctor“ auf Englisch meldet. Wenn Sie eine Einstellung ändern, starten Sie den Server neu und prüfen Sie erneut.",
  checking: "Prüfung läuft. Das kann eine halbe Minute dauern.",
  checkedAt: (time) => `Zuletzt geprüft um ${time}`,
  checkAgain: "Erneut prüfen",
  failed: "Die Prüfung wurde nicht fertig.",
  states: { ok: "In Ordnung", off: "Nicht eingerichtet", warning: "Warnung", problem: "Problem" },
  parts: {
    mail: "E-Mails",
    apple: "Apple Wallet",
    google: "Google Wallet",
    wallets: "Beide Wallets",
    database: "Datenbank",
    settings: "Einstellungen des Servers",
    clock: "Uhr",
    disk: "Speicherplatz",
    runtime: "Node.js",
  },
  rest: "Alles andere",
  mailNeeds: "Starten Sie den Server mit einem Mailserver und einer Absenderadresse:",
  mailTest: "Dieser Befehl sendet eine E-Mail zum Test:",
  linkWithoutMail:
    "Solange keine E-Mails verschickt werden, gibt dieser Befehl einen Anmeldelink für ein Teammitglied aus:",
  appleNeeds:
    "Starten Sie den Server mit einem Zertifikat für einen Pass-Typ von Apples Seite für Entwickler, dem Schlüssel dazu und Apples Zwischenzertifikat:",
  googleNeeds:
    "Starten Sie den Server mit einem Aussteller der Google Pay & Wallet Console und dem Schlüssel eines Dienstkontos mit Zugriff darauf:",
  learnMore: "Mehr dazu:",
};
