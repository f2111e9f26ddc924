import type { MailTexts } from "./texts.js";

export const en: MailTexts = {
  subject: "Your card: {card}",
  greeting: "Hello {name},",
  namelessGreeting: "Hello,",
  yourCard: "Here’s your card. Keep this email so you can open your card at any time.",
  askedAgain: "Someone requested a card with your email address. You already have one, so here it is again.",
  open: "Open your card",
  confirmNews: "You asked for news by email. To get it, open your card and tap “{button}”.",
  why: "You’re getting this email because your address was used to sign up for this card. If this wasn’t you, open the card and ask us not to email you again.",
  followLink: "Learn more",
  whyNews: "You’re getting this email because you signed up for news by email.",
  whyTest: "This is a test email, sent only to you.",
  invitationSubject: "You’ve been invited to join {shop}",
  invitation: "You’ve been invited to join the {shop} team. Open this link to sign in:",
  signInSubject: "Your sign-in link",
  signInAsked: "We received a request to sign in with this email address. Open the link to continue:",
  signIn: "Sign in",
  linkOnce:
    "This link works only once and expires after {time}. If you didn’t expect this email, you can ignore it. No one can sign in without the link.",
  threeDays: "three days",
  fifteenMinutes: "15 minutes",
  passkeySubject: "New passkey for your {shop} account",
  passkeyAdded:
    "A passkey was added to your {shop} account. Anyone with access to that device can use it to sign in.",
  passkeyUnknown:
    "If this was you, you don’t need to do anything. If it wasn’t, sign in and select “Sign out of all devices” in the settings. This also removes all your passkeys.",
};
