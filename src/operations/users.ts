import type { ImportOptions } from "../customers/import/import.js";
import { contactPageSchema, contactQuerySchema } from "../resources/contact.js";
import { dossierSchema } from "../resources/dossier.js";
import { keysBeside } from "../resources/unknown-keys.js";
import { createUserSchema, findUserSchema, updateUserSchema, userSchema } from "../resources/user.js";
import { options, rows } from "./arguments.js";
import { importOptions, type Operations } from "./operation.js";

/** The operations on the customers of an organization. */
export const userOperations = {
  create: {
    operationId: "createUser",
    summary: "Create a user",
    description: [
      "An email is required, unless the setting `requiresEmail` is off: then a phone or an external id is enough. `null` is the same as",
      "a field that is not sent.",
    ].join(" "),
    answer: "The new user.",
    scope: "user:create",
    body: createUserSchema,
    status: 201,
    result: userSchema,
    errors: ["user_already_exists"],
  },
  list: {
    operationId: "listUsers",
    summary: "List all users",
    description: "Deprecated in favor of `GET /v1/contacts`. The list has no pages and is streamed.",
    answer: "All users of the organization, oldest first.",
    scope: "user:read",
    result: userSchema,
    deprecated: { since: 1_795_132_800, successor: "/v1/contacts" },
    errors: [],
  },
  upsert: {
    operationId: "upsertUser",
    summary: "Create a user, or update the one who is known",
    description: [
      "Updates whoever has the `externalId`, else whoever has the email and no other `externalId`; creates a user when nobody",
      "has. Only sent fields change, as when a user is updated. The fields that are required are those of `POST /v1/users`. The scope `user:create` is needed too.",
    ].join(" "),
    answer: "The user as it is now.",
    scope: ["user:update", "user:create"],
    body: createUserSchema,
    result: userSchema,
    errors: ["user_already_exists"],
  },
  find: {
    operationId: "findUser",
    summary: "Find a user by email",
    answer: "The user with this email, in whatever case.",
    scope: "user:read",
    query: findUserSchema,
    result: userSchema,
    finds: "user",
    errors: ["resource_not_found"],
  },
  get: {
    operationId: "getUser",
    summary: "Get a user",
    answer: "The user.",
    scope: "user:read",
    isForUsers: true,
    result: userSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateUser",
    summary: "Update a user",
    description: [
      "Only sent fields change; `null` clears one; `metadata` is replaced whole. An email can be cleared where the setting `requiresEmail`",
      "is off. A user who has an email, a phone or an external id keeps one of them.",
    ].join(" "),
    answer: "The user as it is now.",
    scope: "user:update",
    body: updateUserSchema,
    result: userSchema,
    errors: ["resource_not_found", "user_already_exists"],
  },
  delete: {
    operationId: "deleteUser",
    summary: "Delete a user",
    description: "Removes the user's tag assignments and stamps too, and revokes all of the user's passes.",
    answer: "The user is deleted.",
    scope: "user:update",
    result: null,
    errors: ["resource_not_found"],
  },
  erase: {
    operationId: "eraseUser",
    summary: "Erase a user",
    description:
      "Deletes the user, and takes all that tells of it, but for ids, from events, deliveries, kept answers and wallets too.",
    answer: "Nothing of the user is left.",
    scope: "user:update",
    result: null,
    errors: ["resource_not_found"],
  },
  dossier: {
    operationId: "getDossier",
    summary: "Get all that is known of a user",
    description: "The scopes `user_tag:read`, `pass:read` and `webhook:manage` are needed too.",
    answer:
      "The user with tags, passes, their histories and devices, and the mails, runs of automations and events that are kept.",
    scope: ["user:read", "user_tag:read", "pass:read", "webhook:manage"],
    result: dossierSchema,
    errors: ["resource_not_found"],
  },
  import: {
    scope: ["user:create", "user:update", "user_tag:write"],
    arguments: [rows, options(keysBeside<ImportOptions>(importOptions))],
  },
  export: { scope: ["user:read", "user_tag:read"] },
} satisfies Operations<"users">;

/** The operations on the list of customers. */
export const contactOperations = {
  list: {
    operationId: "listContacts",
    summary: "List contacts",
    description: [
      "Searches, filters, sorts and pages through the users of the organization. With a stamp filter",
      "(`templateId`, `minStamps`, `maxStamps`) a contact matches when any one of its passes of that template",
      "is within both bounds.",
    ].join(" "),
    answer: "One page of contacts with exact totals. A page past the end is empty.",
    scope: "user:read",
    query: contactQuerySchema,
    result: contactPageSchema,
    errors: [],
  },
} satisfies Operations<"contacts">;
