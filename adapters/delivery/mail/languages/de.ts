import type { MailTexts } from "./texts.js";

export const de: MailTexts = {
  subject: "Deine Karte: {card}",
  greeting: "Hallo {name},",
  namelessGreeting: "Hallo,",
  yourCard: "hier ist deine Karte. Heb diese E-Mail auf, dann kannst du deine Karte jederzeit öffnen.",
  askedAgain: "mit deiner E-Mail-Adresse wurde eine Karte angefordert. Du hast schon eine, und hier ist sie.",
  open: "Karte öffnen",
  confirmNews:
    "Du möchtest Neuigkeiten per E-Mail. Damit du sie bekommst, öffne deine Karte und tipp auf „{button}“.",
  why: "Du bekommst diese E-Mail, weil deine Adresse für diese Karte angegeben wurde. Warst du das nicht? Dann öffne die Karte und sag uns dort, dass wir dir nicht mehr schreiben sollen.",
  followLink: "Mehr erfahren",
  whyNews: "Du bekommst diese E-Mail, weil du dich für Neuigkeiten per E-Mail angemeldet hast.",
  whyTest: "Diese E-Mail ist ein Test und ging nur an dich.",
  invitationSubject: "Einladung zu {shop}",
  invitation: "du wurdest ins Team von {shop} eingeladen. Öffne diesen Link, um dich anzumelden:",
  signInSubject: "Dein Link zum Anmelden",
  signInAsked: "mit dieser E-Mail-Adresse wurde eine Anmeldung angefordert. Öffne den Link, um fortzufahren:",
  signIn: "Anmelden",
  linkOnce:
    "Der Link funktioniert einmal und gilt {time}. Falls du diese E-Mail nicht erwartet hast, kannst du sie ignorieren. Ohne den Link kann sich niemand anmelden.",
  threeDays: "drei Tage",
  fifteenMinutes: "15 Minuten",
  passkeySubject: "Ein neuer Passkey für {shop}",
  passkeyAdded:
    "zu deinem Konto bei {shop} wurde ein Passkey hinzugefügt. Wer Zugriff auf das Gerät hat, kann sich damit anmelden.",
  passkeyUnknown:
    "Warst du das, musst du nichts tun. Wenn nicht, melde dich an und wähle in den Einstellungen „Auf allen Geräten abmelden“. Das entfernt auch alle deine Passkeys.",
};
