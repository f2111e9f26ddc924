import type { Words } from "./en.js";

export const de: Words = {
  title: "Loyalty-Konsole",
  reference: "API-Referenz",
  needsScript: "Die Konsole braucht JavaScript.",
  referenceNeedsScript: "Diese Seite braucht JavaScript. Das ist das Dokument selbst:",
  signIn: "Anmelden",
  failedToSignIn: "Fehler beim Anmelden",
  byKey: "Geben Sie Ihr API-Token ein. Sie können hier alles tun, was das Token darf.",
  key: "API-Token",
  withoutToken: "Ich habe kein API-Token",
  askForLink:
    "Bitten Sie die Person, die diesen Server betreibt, um einen Anmeldelink. Dann brauchen Sie kein Token.",
  runsServer: "Ich betreibe diesen Server",
  printsLink: "Dieser Befehl fügt Sie zu einem Geschäft hinzu und gibt einen Link aus, der Sie anmeldet:",
  email: "E-Mail-Adresse",
  mailLink: "Anmeldelink per E-Mail senden",
  byPasskey: "Mit Passkey anmelden",
  withKey: "Mit API-Token anmelden",
  sent: {
    title: "Prüfen Sie Ihre E-Mails",
    text: "Wenn diese Adresse zu einem Teammitglied gehört, ist ein Anmeldelink unterwegs. Er gilt 15 Minuten.",
    nothing:
      "Nur der Link in der neuesten E-Mail funktioniert. Nach fünf E-Mails in einer Stunde kommt die nächste, sobald deren Link abgelaufen ist. Nichts da? Sehen Sie im Spam-Ordner nach, oder",
    again: "versuchen Sie es noch einmal.",
  },
  link: {
    shop: "Geschäft",
    you: "Sie",
    stay: "Auf diesem Gerät angemeldet bleiben",
    stayHint: "30 Tage lang, auf einem eigenen Gerät. Sonst 12 Stunden lang.",
  },
  over: {
    title: "Dieser Link ist abgelaufen",
    text: "Jeder Link funktioniert nur einmal und für kurze Zeit.",
    again: "Neuen Link anfordern",
  },
  complaints: {
    "no token":
      "Dieses API-Token ist ungültig. Token beginnen mit lk_, und manche gelten nur von bestimmten IP-Adressen aus.",
    "not our page":
      "Dieses Formular wurde von einer anderen Adresse gesendet als der, unter der der Server gefragt wird. Wenn Sie nicht von einer anderen Seite kommen, muss der Proxy vor dem Server den Host-Header weitergeben.",
    "too many mails": "Von hier wurden zu viele E-Mails angefordert. Versuchen Sie es später noch einmal.",
    "too often": "Zu viele Anmeldungen mit diesem API-Token. Versuchen Sie es später noch einmal.",
  },
  till: {
    name: "Loyalty-Kasse",
    shortName: "Kasse",
    description: "Karten scannen, Stempel geben, Prämien einlösen",
  },
};
