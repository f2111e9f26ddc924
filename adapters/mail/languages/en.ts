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
  invitationSubject: "Your access to {shop}",
  invitation: "You have been invited to work with {shop}. Open this link to sign in:",
  signInSubject: "Your link to sign in",
  signInAsked: "Somebody, most likely you, asked to sign in with this address. Open the link to go on:",
  signIn: "Sign in",
  linkOnce:
    "The link works once, and only for {time}. If you did not expect this mail, do nothing: without the link nobody gets in.",
  threeDays: "three days",
  fifteenMinutes: "15 minutes",
  passkeySubject: "A new passkey for {shop}",
  passkeyAdded:
    "A passkey was added to your access to {shop}. Anyone who has the device can sign in with it.",
  passkeyUnknown:
    "If it was you, do nothing. If not, sign in, and press “Sign out on every device” in the settings: that removes all passkeys too.",
};
