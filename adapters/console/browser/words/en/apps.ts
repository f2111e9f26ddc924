import { dayText } from "./forms.js";

/** All words of OAuth apps. */
export const apps = {
  none: "No apps",
  noneHint:
    "A program that works for people of other organizations asks them through OAuth. Register it here first.",
  fresh: "New app",
  public: "public",
  registered: (at: string) => `registered ${dayText(at)}`,
  details: "Redirect URIs and scopes",
  newSecret: "New secret",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete ${name}`,
  deleteHint:
    "It gets no tokens any more, and those that it has end now, in every organization that allowed it. This can’t be undone.",
  wasDeleted: (name: string) => `The app “${name}” was deleted`,
  newSecretTitle: (name: string) => `The new secret of “${name}”`,
  provesWho: "The app proves with it who it is.",
  rotateTitle: (name: string) => `A new secret for “${name}”`,
  rotateHint:
    "The one before stays good for 24 hours, until your servers have the new one. If it leaked, end it now.",
  cancel: "Cancel",
  endOld: "End the old one now",
  makeSecret: "Make new secret",
  wasRegistered: (name: string) => `The app “${name}” was registered`,
  provesId: (id: string) => `The app proves with it that it is ${id}.`,
  secretTitle: (name: string) => `The secret of “${name}”`,
  register: "Register app",
  name: "Name",
  nameHint: "People read it when they are asked to allow it.",
  isPublic: "Public: it runs on the devices of people",
  isPublicHint: "A phone, a browser or a command line keeps no secret, so it gets none.",
  publicUri: "com.example.app:/callback",
  uri: "https://app.example/callback",
  redirectUris: "Redirect URIs",
  publicUrisHint:
    "Where browsers come back to, one on a line: https, http on localhost, or a scheme of the app’s own.",
  urisHint: "Where browsers come back to, one on a line: https, or http on localhost.",
  may: "What it may ask for",
} as const;

/** Grants to apps. */
export const grants = {
  title: "What apps are allowed",
  none: "Nobody has allowed an app anything.",
  /** The name of the app stands before it, who allowed it after it. */
  by: "for",
  since: (at: string) => `since ${dayText(at)}`,
  until: (at: string) => `until ${dayText(at)}`,
  end: "End",
  endTitle: (app: string) => `End what “${app}” is allowed?`,
  endVerb: (subject: string) => `End it for ${subject}`,
  wasEnded: (app: string, subject: string) => `“${app}” is allowed nothing by ${subject} any more`,
  endHint: (subject: string) => `The app is refused from now on, until ${subject} allows it again.`,
} as const;
