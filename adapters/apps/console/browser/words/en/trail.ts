import type { AuditAction } from "../../../../../../src/access/audit-schema.js";

/** Actions in the audit trail, in plain words. */
const acts: Readonly<Record<AuditAction, string>> = {
  "api_token.created": "Created an API token",
  "api_token.rotated": "Rotated an API token",
  "api_token.revoked": "Revoked an API token",
  "app.created": "Registered an app",
  "app.secret_rotated": "Rotated an app’s secret",
  "app.deleted": "Removed an app",
  "grant.created": "Gave an app access",
  "grant.ended": "Revoked an app’s access",
  "webhook_endpoint.created": "Added a webhook",
  "webhook_endpoint.updated": "Changed a webhook",
  "webhook_endpoint.secret_rotated": "Rotated a webhook’s secret",
  "webhook_endpoint.deleted": "Removed a webhook",
  "automation.created": "Created an automation",
  "automation.updated": "Changed an automation",
  "automation.deleted": "Deleted an automation",
  "message.sent": "Sent a message",
  "message.canceled": "Canceled a message",
  "message_settings.updated": "Changed the email and message settings",
  "settings.updated": "Changed the shop’s settings",
  "address.bounced": "Reported a bounce",
  "organization.exported": "Exported all data",
  "users.exported": "Exported customers",
  "user.handed_out": "Saved a copy of a customer’s data",
  "user.erased": "Erased a customer",
  "person.invited": "Invited a team member",
  "person.changed": "Changed a team member",
  "person.removed": "Removed a team member",
  "session.started": "Signed in",
  "session.ended": "Signed out a device",
  "passkey.added": "Added a passkey",
  "passkey.removed": "Removed a passkey",
};

/** UI text for the audit trail in the settings. */
export const trail = {
  title: "Change history",
  about: "Changes to the shop itself, newest first. Entries can’t be edited; the newest 100,000 are kept.",
  nothing: "No entries yet",
  nothingYet:
    "Sign-ins, exports, and changes to API tokens, settings, and messages appear here, along with who made them.",
  acts,
  pages: "Change history pages",
  newer: "Newer",
  older: "Older",
};
