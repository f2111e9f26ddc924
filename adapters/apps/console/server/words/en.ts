import { CROSS_ORIGIN_MESSAGE } from "../../../../http/request/same-origin.js";

/** English UI text for the server-rendered pages: the sign-in pages and the page that loads the console. */
export const en = {
  title: "Loyalty console",
  reference: "API reference",
  needsScript: "The console needs JavaScript.",
  referenceNeedsScript: "This page needs JavaScript. You can open the OpenAPI document directly:",
  signIn: "Sign in",
  failedToSignIn: "Error: Sign in",
  byKey: "Enter your API token. You’ll be able to do whatever it allows.",
  key: "API token",
  withoutToken: "I don’t have an API token",
  askForLink: "Ask the person who runs this server for a sign-in link. You don’t need a token then.",
  runsServer: "I run this server",
  printsLink: "This command adds you to a shop and prints a link that signs you in:",
  email: "Email",
  mailLink: "Email me a sign-in link",
  byPasskey: "Sign in with a passkey",
  withKey: "Sign in with an API token",
  sent: {
    title: "Check your email",
    text: "If this address belongs to a team member, a sign-in link is on its way. It’s valid for 15 minutes.",
    nothing:
      "Only the link in the latest email works. If you request five emails in an hour, you have to wait until the last link expires. Didn’t get it? Check your spam folder, or",
    again: "try again.",
  },
  link: {
    shop: "Shop",
    you: "You",
    stay: "Stay signed in on this device",
    stayHint: "You’ll stay signed in for 30 days instead of 12 hours. Choose this only on your own device.",
  },
  over: {
    title: "This link has expired",
    text: "Links work only once and expire after a short time.",
    again: "Request a new link",
  },
  complaints: {
    "no token":
      "This API token isn’t valid. Tokens start with lk_, and some only work from certain IP addresses.",
    "not our page": CROSS_ORIGIN_MESSAGE,
    "too many mails": "Too many emails have been requested from your network. Try again later.",
    "too often": "Too many sign-ins with this API token. Try again later.",
  },
  till: {
    name: "Loyalty till",
    shortName: "Till",
    description: "Scan cards, add stamps and redeem rewards",
  },
};

export type Words = typeof en;
