import { quoted } from "./forms.js";

/** UI text for staff members: their details, roles, and sessions. */
export const people = {
  title: "Team",
  about: "Team members each sign in with their own email, so you can see who did what.",
  invite: "Invite a team member",
  inviteTitle: "Invite a team member",
  sendInvitation: "Send invitation",
  inviteHint: "They get an email with a sign-in link that works once and is valid for three days.",
  invited: (email: string) => `${email} was invited`,
  nobody: "No team members yet",
  nobodyYet: "Invite your team. Existing API tokens keep working.",
  noMailAdvice:
    "Email isn’t set up yet: ask the person who runs your server for a sign-in link for each team member.",
  email: "Email",
  name: "Name",
  nameHint: "Shown in the change history. Leave blank to show their email.",
  ownRole: "Role",
  role: "Role",
  roles: {
    owner: "Owner",
    manager: "Manager",
    till: "Till",
  },
  rolesIn: {
    owner: "Can do everything, including managing the team, API tokens, webhooks, and shop settings.",
    manager:
      "Can manage customers, cards, messages, segments, and automations, and view statistics. Can’t manage the team, API tokens, webhooks, or shop settings.",
    till: "Can find customers and their cards, add stamps, and redeem rewards. Can’t do anything else.",
  },
  you: "you",
  waiting: "Invited",
  neverHere: (day: string) => `invited ${day}, hasn’t signed in yet`,
  lastHere: (day: string) => `last active ${day}`,
  more: (name: string) => `More for ${name}`,
  change: "Edit",
  changeTitle: (name: string) => `Edit ${name}`,
  save: "Save",
  saved: "Saved",
  sendAgain: "Send a new link",
  sendAgainHint: "It replaces the previous link.",
  sentAgain: (email: string) => `A new link is on its way to ${email}`,
  devices: "Devices",
  devicesTitle: (name: string) => `Devices for ${name}`,
  close: "Close",
  signOutAll: "Sign out everywhere",
  signOutAllHint: "Signing out everywhere also removes their passkeys.",
  signedOutAll: (name: string) => `${name} was signed out everywhere`,
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${quoted(name)}?`,
  removeVerb: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} was removed`,
  removing:
    "They’ll be signed out everywhere and can’t sign in again. Their past work and API tokens are kept, and messages they scheduled are still sent.",
};

/** UI text for the list of devices on which a staff member is signed in. */
export const devices = {
  title: "Your devices",
  about: "These devices are signed in to your account. Sign out of any you don’t recognize or have lost.",
  none: "No devices",
  here: "this device",
  since: (begun: string, seen: string) => `signed in ${begun} · last used ${seen}`,
  signOut: "Sign out",
  signOutOf: (device: string) => `Sign out of ${device}`,
  signedOut: (device: string) => `Signed out: ${device}`,
  everywhere: "Sign out of all devices",
  everywhereHint: "This also removes your passkeys. You’ll need a new link to sign in again.",
};
