import type { MailTexts } from "./texts.js";

export const en: MailTexts = {
  subject: "Your card: {card}",
  greeting: "Hello {name},",
  namelessGreeting: "Hello,",
  yourCard: "Here is your card. Keep this mail: its link leads to your card at any time.",
  askedAgain: "A card was asked for with your email address. You have one already, and here it is.",
  open: "Open your card",
  why: "You get this mail because your address was given for this card. If it was not you, open the card and say there that we should not write to you again.",
  followLink: "Find out more",
  whyNews: "You get this mail because you agreed to get news by email.",
  whyTest: "This mail is a test, which was sent to you alone.",
};
