import type { Scope } from "../scopes.js";

/** What each scope allows, in words for the people who grant it. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "user_tag:read": "See tags, and who has them",
  "user_tag:write": "Create, change and delete tags, and give them to customers",
  "user:create": "Add customers",
  "user:read": "See customers, with their names, addresses and other data",
  "user:update": "Change and delete customers",
  "pass:read": "See wallet passes",
  "pass:create": "Issue wallet passes",
  "pass:update": "Mark wallet passes as installed or removed from a wallet",
  "pass:delete": "Delete wallet passes",
  "template:create": "Create templates of passes",
  "template:read": "See templates of passes",
  "template:update": "Change templates of passes",
  "template:delete": "Delete templates of passes",
  "loyalty:manage": "Add, remove, set and redeem stamps",
  "api_token:manage":
    "Create and revoke API tokens, register apps, and end the access of apps. What it makes stays after its access ends",
  "webhook:manage":
    "Have events sent to other servers, with the data of customers. That goes on after its access ends",
};
