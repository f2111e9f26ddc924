import { CROSS_ORIGIN_MESSAGE } from "../../../../http/request/same-origin.js";

/** English UI text for the server-rendered pages: the sign-in pages and the page that loads the console. */
export const en = {
  title: "Loyalty console",
  reference: "API reference",
  needsScript: "The console needs JavaScript.",
  referenceNeedsScript: "This page needs JavaScript. This is the document itself:",
  signIn: "Sign in",
  failedToSignIn: "Error: sign in",
  byKey: "With your shop’s API token. You can do here whatever the token can do.",
  key: "API token",
  whereFrom: "Where do I get an API token?",
  fromServer: "Ask your server’s administrator. This command creates one:",
  email: "Email",
  mailLink: "Email me a sign-in link",
  byPasskey: "Sign in with a passkey",
  withKey: "Sign in with an API token",
  sent: {
    title: "Check your email",
    text: "If this address belongs to a team member, a sign-in link is on its way. It’s valid for 15 minutes.",
    nothing:
      "Only the link in the latest email works. After five emails in an hour, the next one is sent once its link has expired. Nothing there? Check your spam folder, or",
    again: "try again.",
  },
  link: {
    shop: "Shop",
    you: "You",
    stay: "Stay signed in on this device",
    stayHint: "For 30 days, on your own device. Otherwise for 12 hours.",
  },
  over: {
    title: "This link has expired",
    text: "Each link works only once, and for a short time.",
    again: "Request a new link",
  },
  complaints: {
    "no token":
      "This API token isn’t valid. Tokens begin with lk_, and some only work from certain IP addresses.",
    "not our page": CROSS_ORIGIN_MESSAGE,
    "too many mails": "Too many emails were requested from here. Try again later.",
    "too often": "Too many sign-ins with this API token. Try again later.",
  },
  till: {
    name: "Loyalty till",
    shortName: "Till",
    description: "Scan cards, add stamps, redeem rewards",
  },
};

export type Words = typeof en;
