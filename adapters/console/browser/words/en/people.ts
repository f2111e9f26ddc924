import { quoted } from "./forms.js";

/** People who sign in: who they are, what they may do, where they are signed in. */
export const people = {
  title: "People",
  about: "Each signs in with their own email, so the shop knows who did what.",
  invite: "Invite somebody",
  inviteTitle: "Invite somebody",
  sendInvitation: "Send the invitation",
  inviteHint: "They get a mail with a link that works once, for three days.",
  invited: (email: string) => `${email} was invited`,
  nobody: "Nobody signs in with an email yet",
  nobodyYet: "Invite who works here. Keys go on working beside it.",
  noMail: "This server sends no mails yet, so nobody can be invited from here.",
  noMailWay: "Whoever runs it makes a link for somebody with this command:",
  email: "Email",
  name: "Name",
  nameHint: "Stands wherever it is said who did something. Empty: their email.",
  ownRole: "Role",
  role: "What they may do",
  roles: {
    owner: "Owner",
    manager: "Manager",
    till: "Till",
  },
  rolesIn: {
    owner: "Everything: also people, keys, webhooks and the shop’s settings.",
    manager:
      "Customers, cards, messages, segments, automations and numbers. Not people, keys, webhooks or the shop’s settings.",
    till: "Finds customers and their cards, adds stamps and hands out rewards. Nothing else.",
  },
  you: "you",
  waiting: "Invited",
  neverHere: (day: string) => `invited ${day}, not here yet`,
  lastHere: (day: string) => `last here ${day}`,
  more: (name: string) => `More for ${name}`,
  change: "Change",
  changeTitle: (name: string) => `Change ${name}`,
  save: "Save",
  saved: "Saved",
  sendAgain: "Send the link again",
  sendAgainHint: "The one before works no more.",
  sentAgain: (email: string) => `A new link is on its way to ${email}`,
  devices: "Where they are signed in",
  devicesTitle: (name: string) => `Where ${name} is signed in`,
  close: "Close",
  signOutAll: "Sign out everywhere",
  signedOutAll: (name: string) => `${name} was signed out everywhere`,
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${quoted(name)}?`,
  removeVerb: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} was removed`,
  removing:
    "They are signed out everywhere at once and can’t sign in any more. What they did stays, and so do keys that they made.",
};

/** Where somebody is signed in. */
export const devices = {
  title: "Your devices",
  about: "Where you are signed in. End what you don’t know or have lost.",
  none: "Signed in nowhere",
  here: "this device",
  since: (begun: string, seen: string) => `since ${begun} · last used ${seen}`,
  signOut: "Sign out",
  signOutOf: (device: string) => `Sign out of ${device}`,
  signedOut: (device: string) => `Signed out: ${device}`,
  everywhere: "Sign out on every device",
};
