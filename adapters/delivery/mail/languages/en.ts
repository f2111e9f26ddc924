import type { MailTexts } from "./texts.js";

export const en: MailTexts = {
  subject: "Your card: {card}",
  greeting: "Hello {name},",
  namelessGreeting: "Hello,",
  yourCard: "Here is your card. Keep this email: its link opens your card at any time.",
  askedAgain: "Someone requested a card with your email address. You already have one, and here it is.",
  open: "Open your card",
  why: "You’re getting this email because your address was entered for this card. If this wasn’t you, open the card and ask us not to write to you again.",
  followLink: "Find out more",
  whyNews: "You’re getting this email because you agreed to receive news by email.",
  whyTest: "This is a test email, sent only to you.",
  invitationSubject: "Your access to {shop}",
  invitation: "You’ve been invited to the team of {shop}. Open this link to sign in:",
  signInSubject: "Your sign-in link",
  signInAsked: "Someone, most likely you, asked to sign in with this address. Open the link to continue:",
  signIn: "Sign in",
  linkOnce:
    "The link works once, and only for {time}. If you didn’t expect this email, ignore it: no one can sign in without the link.",
  threeDays: "three days",
  fifteenMinutes: "15 minutes",
  passkeySubject: "A new passkey for {shop}",
  passkeyAdded:
    "A passkey was added to your access to {shop}. Anyone who has the device can sign in with it.",
  passkeyUnknown:
    "If this was you, you don’t need to do anything. If not, sign in and choose “Sign out on every device” in the settings: that also removes all passkeys.",
};
