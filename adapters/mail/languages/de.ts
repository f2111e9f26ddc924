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
};
