import type { AuditAction } from "../../../../../src/resources/audit.js";

/** The acts of the audit trail, in the words of a shop manager. */
const acts: Readonly<Record<AuditAction, string>> = {
  "api_token.created": "Made a key",
  "api_token.rotated": "Gave a key a new secret",
  "api_token.revoked": "Revoked a key",
  "app.created": "Registered an app",
  "app.secret_rotated": "Gave an app a new secret",
  "app.deleted": "Removed an app",
  "grant.created": "Let an app in",
  "grant.ended": "Ended what an app was allowed",
  "webhook_endpoint.created": "Added a webhook",
  "webhook_endpoint.updated": "Changed a webhook",
  "webhook_endpoint.secret_rotated": "Gave a webhook a new secret",
  "webhook_endpoint.deleted": "Removed a webhook",
  "automation.created": "Created an automation",
  "automation.updated": "Changed an automation",
  "automation.deleted": "Deleted an automation",
  "message.sent": "Sent a message",
  "message.canceled": "Canceled a message",
  "message_settings.updated": "Changed the settings of mails and messages",
  "settings.updated": "Changed the shop’s settings",
  "address.bounced": "Reported that mails to a customer come back",
  "organization.exported": "Took out everything",
  "users.exported": "Exported the customers",
  "user.handed_out": "Saved a copy of a customer’s data",
  "user.erased": "Forgot a customer for good",
  "person.invited": "Invited somebody",
  "person.changed": "Changed somebody’s name or role",
  "person.removed": "Removed somebody",
  "session.started": "Signed in",
  "session.ended": "Signed a device out",
  "passkey.added": "Added a passkey",
  "passkey.removed": "Removed a passkey",
};

/** The audit trail, under Settings. */
export const trail = {
  title: "Who did what",
  about:
    "What changed the shop itself, newest first. Nobody can change these lines; the newest 100,000 are kept.",
  nothing: "Nothing has been noted yet",
  nothingYet: "Sign-ins, keys, settings, messages and exports appear here, with who it was.",
  acts,
  pages: "Pages of who did what",
  newer: "Newer",
  older: "Older",
};
