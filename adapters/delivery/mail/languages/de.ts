import type { MailTexts } from "./texts.js";

export const de: MailTexts = {
  subject: "Deine Karte: {card}",
  greeting: "Hallo {name},",
  namelessGreeting: "Hallo,",
  yourCard: "hier ist deine Karte. Heb diese Mail auf: ihr Link führt jederzeit zu deiner Karte.",
  askedAgain: "mit deiner E-Mail-Adresse wurde eine Karte angefordert. Du hast schon eine, und hier ist sie.",
  open: "Karte öffnen",
  why: "Du bekommst diese Mail, weil deine Adresse für diese Karte angegeben wurde. Warst du das nicht? Dann öffne die Karte und sag dort, dass wir dir nicht mehr schreiben sollen.",
  followLink: "Mehr erfahren",
  whyNews: "Du bekommst diese Mail, weil du zugestimmt hast, Neuigkeiten per E-Mail zu bekommen.",
  whyTest: "Diese Mail ist ein Test und ging nur an dich.",
  invitationSubject: "Dein Zugang zu {shop}",
  invitation: "du wurdest eingeladen, mit {shop} zu arbeiten. Öffne diesen Link, um dich anzumelden:",
  signInSubject: "Dein Link zum Anmelden",
  signInAsked:
    "jemand, wahrscheinlich du, möchte sich mit dieser Adresse anmelden. Öffne den Link, um weiterzumachen:",
  signIn: "Anmelden",
  linkOnce:
    "Der Link gilt einmal und nur {time}. Falls du diese Mail nicht erwartet hast, musst du nichts tun: ohne den Link kommt niemand hinein.",
  threeDays: "drei Tage",
  fifteenMinutes: "15 Minuten",
  passkeySubject: "Ein neuer Passkey für {shop}",
  passkeyAdded:
    "zu deinem Zugang zu {shop} wurde ein Passkey hinzugefügt. Wer das Gerät hat, meldet sich damit an.",
  passkeyUnknown:
    "Warst du das, musst du nichts tun. Wenn nicht, melde dich an und drücke in den Einstellungen „Auf allen Geräten abmelden“: das entfernt auch alle Passkeys.",
};
