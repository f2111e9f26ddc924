import type * as english from "../en/parts.js";
import type { Translated } from "../translated.js";

export const parts: Translated<typeof english.parts> = {
  pager: {
    label: (noun) => `Seiten: ${noun}`,
    newer: (noun) => `Neuere ${noun}`,
    older: (noun) => `Ältere ${noun}`,
    range: (from, to, total) => `${from}–${to} von ${total}`,
  },
  cancel: "Abbrechen",
  keep: "Behalten",
  undo: "Rückgängig",
  dismiss: "Ausblenden",
  tryAgain: "Erneut versuchen",
  loading: "Wird geladen",
  required: "Pflichtfeld",
  on: "Ein",
  off: "Aus",
  numbered: (at) => `Nummer ${at}`,
  noMail: "E-Mails sind noch nicht eingerichtet",
  noWallets: "Wallets sind noch nicht eingerichtet",
  language: "Sprache",
  noLanguage: "Sprache wählen …",
  askOperator: (missing) => `${missing}: Fragen Sie die Person, die Ihren Server betreibt.`,
  setUpOnServer: "Auf der Seite „Server“ einrichten",
};
