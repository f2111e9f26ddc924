import type { Words } from "./en.js";

export const de: Words = {
  title: "Loyalty-Konsole",
  reference: "API-Referenz",
  needsScript: "Die Konsole braucht JavaScript.",
  referenceNeedsScript: "Diese Seite braucht JavaScript. Das ist das Dokument selbst:",
  signIn: "Anmelden",
  failedToSignIn: "Fehler beim Anmelden",
  byKey: "Mit einem Schlüssel des Geschäfts. Was der Schlüssel darf, dürfen Sie hier tun.",
  key: "Schlüssel",
  whereFrom: "Woher bekomme ich einen Schlüssel?",
  fromServer: "Von denen, die den Server betreiben, als API-Token. Dort legt ihn dieser Befehl an:",
  email: "E-Mail-Adresse",
  mailLink: "Link per E-Mail senden",
  byPasskey: "Mit Passkey anmelden",
  withKey: "Mit einem Schlüssel anmelden",
  sent: {
    title: "Sehen Sie in Ihre E-Mails",
    text: "Wenn sich jemand mit dieser Adresse anmeldet, ist eine E-Mail mit einem Link unterwegs. Der Link gilt 15 Minuten.",
    nothing:
      "Nur die neueste E-Mail zählt. Nach fünf in einer Stunde kommt eine weitere, sobald deren Link abgelaufen ist. Nichts da? Sehen Sie in den Ordner für Spam, oder",
    again: "versuchen Sie es noch einmal.",
  },
  link: {
    shop: "Geschäft",
    you: "Sie",
    stay: "Auf diesem Gerät angemeldet bleiben",
    stayHint: "30 Tage lang, auf einem eigenen Gerät. Sonst 12 Stunden lang.",
  },
  over: {
    title: "Dieser Link gilt nicht mehr",
    text: "Jeder Link gilt einmal, und nur kurze Zeit.",
    again: "Einen neuen anfordern",
  },
  complaints: {
    "no token":
      "Das ist kein gültiger Schlüssel. Schlüssel beginnen mit lk_, und manche gelten nur von bestimmten Adressen aus.",
    "not our page":
      "Dieses Formular wurde von einer anderen Adresse gesendet als der, unter der der Server gefragt wird. Wenn Sie nicht von einer anderen Seite kommen, muss der Proxy vor dem Server den Host-Header weitergeben.",
    "too many mails": "Von hier wurden zu viele E-Mails angefordert. Versuchen Sie es später noch einmal.",
    "too often": "Mit diesem Schlüssel haben sich zu viele angemeldet. Versuchen Sie es später noch einmal.",
  },
  till: {
    name: "Loyalty-Kasse",
    shortName: "Kasse",
    description: "Karten scannen, Stempel geben, Prämien ausgeben",
  },
};
