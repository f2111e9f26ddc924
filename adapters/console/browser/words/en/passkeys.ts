import { quoted } from "./forms.js";

/** Passkeys of the signed-in person, under Settings. */
export const passkeys = {
  title: "Your passkeys",
  about: "Sign in with a fingerprint, your face or a PIN, without waiting for a mail.",
  none: "You have no passkey yet",
  add: "Add a passkey",
  name: "Name",
  nameHint: "By which you know the device again.",
  goOn: "Go on",
  cancel: "Cancel",
  added: (name: string) => `You can sign in with ${quoted(name)} now`,
  neverUsed: (made: string) => `since ${made} · not used yet`,
  lastUsed: (made: string, used: string) => `since ${made} · last used ${used}`,
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${quoted(name)}?`,
  removeVerb: (name: string) => `Remove ${name}`,
  removing:
    "Nobody signs in with it any more. Delete it on the device, too: it would still be offered there.",
  removed: (name: string) => `${name} was removed`,
  elsewhere: (origin: string) => `Passkeys are for ${origin} alone. Open the console there.`,
  unknown: "This browser knows no passkeys.",
  given: "This device, or the place of your passwords, has one for you already.",
  signInAgain: "Sign out and sign in again first: this needs a sign-in of the last 15 minutes.",
  refused: "The server did not take the passkey. Try again.",
};

/** Signing in with a passkey. */
export const signingIn = {
  canceled: "That was canceled, or took too long. Try again.",
  failed: "This device could not do it.",
  notTaken: "This passkey is not valid here, or not any more. Sign in another way.",
  tooOften: "Too many tried from here. Try again later.",
  unanswered: "The server does not answer. Try again in a moment.",
};
