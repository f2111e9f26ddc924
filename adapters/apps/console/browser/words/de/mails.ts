import type * as english from "../en/mails.js";
import type { Translated } from "../translated.js";

export const mails: Translated<typeof english.mails> = {
  onCard: "auf der Karte",
  attempts: (count) => (count === 1 ? "Details" : `${count} Versuche`),
  noAnswer: "keine Antwort",
  mayComeTwice: "kommt vielleicht doppelt an",
  waiting: "wartet",
  nextAttempt: (moment) => `nächster Versuch ${moment}`,
  underWay: "wird gesendet",
  sent: "gesendet",
  notSent: "nicht gesendet",
  failed: "fehlgeschlagen",
  googleHasIt: "von Google angenommen",
  phoneHasIt: "auf dem Telefon des Kunden angekommen",
  silently: (taker) => `${taker}, lautlos`,
};

export const mailReasons: Translated<typeof english.mailReasons> = {
  no_consent: "der Kunde hat nicht bestätigt, dass er Neuigkeiten möchte",
  unsubscribed: "der Kunde hat sich abgemeldet",
  no_address: "der Kunde hat keine Adresse",
  suppressed: "diese Adresse ist gesperrt",
  no_wallet: "die Karte ist in keinem Wallet",
  capped: "der Kunde hat vorerst genug Nachrichten bekommen",
  canceled: "sie wurde abgebrochen",
  expired: "sie konnte nicht rechtzeitig gesendet werden",
  customer_deleted: "der Kunde wurde gelöscht",
  pass_deleted: "die Karte wurde gelöscht",
  replaced: "durch eine neuere ersetzt",
  address_refused: "die Adresse gibt es nicht",
  message_refused: "der Mailserver des Kunden hat sie abgelehnt",
  gave_up: "alle Versuche sind fehlgeschlagen",
  bounced: "sie kam zurück",
  complained: "der Kunde hat sie als Spam gemeldet",
};

export const mailKinds: Translated<typeof english.mailKinds> = {
  pass: "Die Karte",
  link: "Die Karte, weil sich jemand mit dieser Adresse noch einmal angemeldet hat",
  confirm: "Bestätigung der Adresse",
  sign_in: "Link zum Anmelden",
  message: "Neuigkeiten",
  automation: "Neuigkeiten",
  test: "Test",
};
