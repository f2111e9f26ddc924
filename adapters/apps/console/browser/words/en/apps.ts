import { dayText } from "./forms.js";

/** UI text for the list of OAuth apps and for the dialogs that register, edit, and delete them. */
export const apps = {
  none: "No apps",
  noneHint: "Register your app here so it can request access to other organizations through OAuth.",
  fresh: "New app",
  public: "public",
  registered: (at: string) => `registered ${dayText(at)}`,
  details: "Redirect URIs and scopes",
  newSecret: "New secret",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete ${name}`,
  deleteHint:
    "All its tokens stop working immediately, in every organization that gave it access. This can’t be undone.",
  wasDeleted: (name: string) => `The app “${name}” was deleted`,
  newSecretTitle: (name: string) => `New secret for “${name}”`,
  provesWho: "The app uses it to identify itself.",
  rotateTitle: (name: string) => `Create a new secret for “${name}”?`,
  rotateHint:
    "The previous secret stays valid for 24 hours, so you have time to update your servers. If it leaked, revoke it now.",
  cancel: "Cancel",
  endOld: "Revoke the old secret now",
  makeSecret: "Create new secret",
  wasRegistered: (name: string) => `The app “${name}” was registered`,
  provesId: (id: string) => `The app ${id} uses it to identify itself.`,
  secretTitle: (name: string) => `Secret for “${name}”`,
  register: "Register app",
  name: "Name",
  nameHint: "Shown to users when the app asks for access.",
  isPublic: "Public: runs on users’ devices",
  isPublicHint: "Mobile, browser, and command-line apps can’t keep a secret, so they don’t get one.",
  publicUri: "com.example.app:/callback",
  uri: "https://app.example/callback",
  redirectUris: "Redirect URIs",
  publicUrisHint:
    "Where users are sent after signing in. One per line, with https, http on localhost, or the app’s own scheme.",
  urisHint: "Where users are sent after signing in. One per line, with https, or http on localhost.",
  may: "Scopes it can request",
} as const;

/** UI text for the grants that give apps access to the organization's data. */
export const grants = {
  title: "Apps with access",
  none: "No apps have access.",
  /** Shown between the app's name and the user who granted access. */
  by: "for",
  since: (at: string) => `since ${dayText(at)}`,
  until: (at: string) => `until ${dayText(at)}`,
  end: "Revoke",
  endTitle: (app: string) => `Revoke access for “${app}”?`,
  endVerb: (subject: string) => `Revoke for ${subject}`,
  wasEnded: (app: string, subject: string) => `“${app}” no longer has access for ${subject}`,
  endHint: (subject: string) => `The app loses access until ${subject} allows it again.`,
} as const;
