import { notOwnPage } from "../../../http/request/own-page.js";

/** What the server says itself: on the page to sign in, and around the screens. */
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
  complaints: {
    "no token":
      "That is no valid sign-in key. Keys begin with lk_, and some may be used from certain addresses only.",
    "not our page": notOwnPage,
    "too often": "Too many have signed in with this key. Try again later.",
  },
  till: {
    name: "Loyalty till",
    shortName: "Till",
    description: "Scan cards, add stamps, hand out rewards",
  },
};

export type Words = typeof en;
