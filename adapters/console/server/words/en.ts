import { CROSS_ORIGIN_MESSAGE } from "../../../http/request/same-origin.js";

/** The words of the server's own pages: signing in, and the frame of the screens. */
export const en = {
  title: "Loyalty console",
  reference: "API reference",
  needsScript: "The console needs JavaScript.",
  referenceNeedsScript: "This page needs JavaScript. This is the document itself:",
  signIn: "Sign in",
  failedToSignIn: "Error: sign in",
  byKey: "With a key of your shop. What it may do is what you may do here.",
  key: "Sign-in key",
  whereFrom: "Where do I get a key?",
  fromServer: "From who runs the server, as an API token. This command makes one there:",
  email: "Email",
  mailLink: "Mail me a link",
  byPasskey: "Sign in with a passkey",
  withKey: "Sign in with a key",
  sent: {
    title: "Look into your mail",
    text: "If somebody signs in with this address, a mail with a link is on its way. The link is good for 15 minutes.",
    nothing:
      "Only the newest mail counts. After five in an hour, another comes once its link is over. Nothing there? Look into the folder for spam, or",
    again: "try again.",
  },
  link: {
    shop: "Shop",
    you: "You",
    stay: "Stay signed in on this device",
    stayHint: "For 30 days, on a device of your own. Otherwise for 12 hours.",
  },
  over: {
    title: "This link is over",
    text: "Each link works once, and for a short time.",
    again: "Ask for another one",
  },
  complaints: {
    "no token":
      "That is no valid sign-in key. Keys begin with lk_, and some may be used from certain addresses only.",
    "not our page": CROSS_ORIGIN_MESSAGE,
    "too many mails": "Too many mails were asked for from here. Try again later.",
    "too often": "Too many have signed in with this key. Try again later.",
  },
  till: {
    name: "Loyalty till",
    shortName: "Till",
    description: "Scan cards, add stamps, hand out rewards",
  },
};

export type Words = typeof en;
