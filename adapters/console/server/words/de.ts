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
  complaints: {
    "no token":
      "Das ist kein gültiger Schlüssel. Schlüssel beginnen mit lk_, und manche gelten nur von bestimmten Adressen aus.",
    "not our page":
      "Dieses Formular wurde von einer anderen Adresse gesendet als der, unter der der Server gefragt wird. Wenn Sie nicht von einer anderen Seite kommen, muss der Proxy vor dem Server den Host-Header weitergeben.",
    "too often": "Mit diesem Schlüssel haben sich zu viele angemeldet. Versuchen Sie es später noch einmal.",
  },
  till: {
    name: "Loyalty-Kasse",
    shortName: "Kasse",
    description: "Karten scannen, Stempel geben, Prämien ausgeben",
  },
};
