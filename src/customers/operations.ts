import { createKeyChecker } from "../base/unknown-keys.js";
import { importOptions, type Operations } from "../kernel/operation.js";
import { optionsArgument, rowsArgument } from "../kernel/operation-arguments.js";
import { contactPageSchema, contactQuerySchema } from "./contact-schema.js";
import { dossierSchema } from "./dossier-schema.js";
import type { ImportOptions } from "./import/import.js";
import { createUserSchema, findUserSchema, updateUserSchema, userSchema } from "./schema.js";

export const userOperations = {
  create: {
    operationId: "createUser",
    summary: "Create a user",
    description:
      "An email address is required unless the `requiresEmail` setting is off, in which case a phone " +
      "number or an external ID is enough. Setting a field to `null` has the same effect as omitting it.",
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
    description: "Deprecated. Use `GET /v1/contacts` instead. Streams the full list without pagination.",
    answer: "All users in the organization, oldest first.",
    scope: "user:read",
    result: userSchema,
    deprecated: { since: 1_795_132_800, successor: "/v1/contacts" },
    errors: [],
  },
  upsert: {
    operationId: "upsertUser",
    summary: "Create or update a user",
    description:
      "Updates the user with this `externalId`. If there is none, updates the user with this email " +
      "address, unless that user has a different `externalId`. If no user matches, creates a user. Updates " +
      "only the fields you provide. The required fields are the same as for `POST /v1/users`. Also " +
      "requires the `user:create` scope.",
    answer: "The created or updated user.",
    scope: ["user:update", "user:create"],
    body: createUserSchema,
    result: userSchema,
    errors: ["user_already_exists"],
  },
  find: {
    operationId: "findUser",
    summary: "Find a user by email",
    answer: "The user with this email address.",
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
    description:
      "Updates only the fields you provide; `null` clears a field. `metadata` is replaced entirely. The " +
      "email address can be cleared only if the `requiresEmail` setting is off. A user who has an email " +
      "address, a phone number or an external ID must keep at least one of them.",
    answer: "The updated user.",
    scope: "user:update",
    body: updateUserSchema,
    result: userSchema,
    errors: ["resource_not_found", "user_already_exists"],
  },
  delete: {
    operationId: "deleteUser",
    summary: "Delete a user",
    description: "Also removes the user's tags and stamps and revokes their passes.",
    answer: "The user was deleted.",
    scope: "user:update",
    result: null,
    errors: ["resource_not_found"],
  },
  erase: {
    operationId: "eraseUser",
    summary: "Erase a user",
    description:
      "Deletes the user and redacts their personal data in events, deliveries, stored responses and " +
      "wallets. IDs are kept. The request body is optional.",
    answer: "The user was erased.",
    scope: "user:update",
    result: null,
    errors: ["resource_not_found"],
  },
  dossier: {
    operationId: "getDossier",
    summary: "Get all data about a user",
    description: "Also requires the `user_tag:read`, `pass:read` and `webhook:manage` scopes.",
    answer:
      "The user, along with their tags, passes (including their history and devices), emails, automation " +
      "runs and stored events.",
    scope: ["user:read", "user_tag:read", "pass:read", "webhook:manage"],
    result: dossierSchema,
    errors: ["resource_not_found"],
  },
  import: {
    scope: ["user:create", "user:update", "user_tag:write"],
    arguments: [rowsArgument, optionsArgument(createKeyChecker<ImportOptions>(importOptions))],
  },
  export: { scope: ["user:read", "user_tag:read"] },
} satisfies Operations<"users">;

export const contactOperations = {
  list: {
    operationId: "listContacts",
    summary: "List contacts",
    description:
      "Searches, filters, sorts and paginates the organization's users. With a stamp filter (`templateId`, " +
      "`minStamps`, `maxStamps`), a contact matches if the number of stamps on any of their passes from " +
      "that template is within both bounds. `minPoints` and `maxPoints` do the same by usable points.",
    answer: "A page of contacts with exact totals. A page past the end is empty.",
    scope: "user:read",
    query: contactQuerySchema,
    result: contactPageSchema,
    errors: [],
  },
} satisfies Operations<"contacts">;
