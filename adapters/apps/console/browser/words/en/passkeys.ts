import { quoted } from "./forms.js";

/** UI text for managing the signed-in staff member's passkeys in the settings. */
export const passkeys = {
  title: "Your passkeys",
  about: "Sign in with your fingerprint, face, or PIN, without waiting for an email.",
  none: "You don’t have a passkey yet",
  add: "Add passkey",
  name: "Name",
  nameHint: "Helps you recognize the device.",
  goOn: "Continue",
  cancel: "Cancel",
  added: (name: string) => `You can now sign in with ${quoted(name)}`,
  neverUsed: (made: string) => `added ${made} · not used yet`,
  lastUsed: (made: string, used: string) => `added ${made} · last used ${used}`,
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${quoted(name)}?`,
  removeVerb: (name: string) => `Remove ${name}`,
  removing:
    "You won’t be able to sign in with it anymore. Also delete it from the device, or the device will keep suggesting it.",
  removed: (name: string) => `${name} was removed`,
  elsewhere: (origin: string) => `Passkeys only work at ${origin}. Open the console there.`,
  unknown: "This browser doesn’t support passkeys.",
  given: "This device or your password manager already has a passkey for your account.",
  signInAgain:
    "For security, you must have signed in within the last 15 minutes. Sign out, then sign in again.",
  refused: "The passkey wasn’t accepted. Try again.",
};

/** UI text for signing in with a passkey. */
export const signingIn = {
  canceled: "Canceled or timed out. Try again.",
  failed: "That didn’t work on this device.",
  notTaken: "This passkey isn’t valid here anymore. Sign in another way.",
  tooOften: "Too many attempts. Try again later.",
  unanswered: "The server isn’t responding. Try again in a moment.",
};
