import type * as english from "../en/mails.js";
import type { Translated } from "../translated.js";

export const mails: Translated<typeof english.mails> = {
  onCard: "auf der Karte",
  attempts: (count) => `${count} ${count === 1 ? "Versuch" : "Versuche"}`,
  noAnswer: "keine Antwort",
  mayComeTwice: "kommt vielleicht doppelt an",
  waiting: "wartet",
  nextAttempt: (moment) => `nächster Versuch ${moment}`,
  underWay: "wird gesendet",
  sent: "gesendet",
  notSent: "nicht gesendet",
  failed: "gescheitert",
  serverHasIt: "der Mailserver des Kunden hat sie",
  googleHasIt: "Google hat sie",
  phoneHasIt: "das Telefon des Kunden hat sie",
  silently: (taker) => `${taker}, ohne Ton`,
};

export const mailReasons: Translated<typeof english.mailReasons> = {
  no_consent: "der Kunde hat nicht in Neuigkeiten eingewilligt",
  unsubscribed: "der Kunde will keine Neuigkeiten mehr",
  no_address: "der Kunde hat keine Adresse",
  suppressed: "an diese Adresse geht nichts mehr",
  no_wallet: "die Karte ist in keinem Wallet",
  capped: "der Kunde hat fürs Erste genug Nachrichten",
  canceled: "sie wurde abgebrochen",
  expired: "sie konnte nicht rechtzeitig gesendet werden",
  customer_deleted: "der Kunde wurde gelöscht",
  pass_deleted: "die Karte wurde gelöscht",
  replaced: "eine neuere trat an ihre Stelle",
  address_refused: "diese Adresse gibt es nicht",
  message_refused: "der Mailserver des Kunden wollte sie nicht",
  gave_up: "alle Versuche blieben erfolglos, bis ihre Zeit um war",
  bounced: "sie kam zurück",
  complained: "der Kunde hat sie als Spam gemeldet",
};

export const mailKinds: Translated<typeof english.mailKinds> = {
  pass: "Die Karte",
  link: "Die Karte, weil jemand mit dieser Adresse noch einmal beitrat",
  confirm: "Bestätigung der Adresse",
  sign_in: "Anmeldung",
  message: "Neuigkeiten",
  automation: "Neuigkeiten",
  test: "Eine Probe",
};
