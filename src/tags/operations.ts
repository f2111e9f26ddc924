import * as z from "zod";
import { isLoyaltyError } from "../base/errors.js";
import { wireTagQueryPage } from "../base/page.js";
import type { Scope } from "../base/scopes.js";
import { userSchema } from "../customers/schema.js";
import type { Operations } from "../kernel/operation.js";
import {
  createTagSchema,
  ensureTagSchema,
  listSelectionScopes,
  mergeTagSchema,
  parseSelection,
  taggingResultSchema,
  updateTagSchema,
  userSelectionSchema,
  userTagAssignmentSchema,
  userTagSchema,
} from "./schema.js";
import { tagQuerySchema } from "./tag-filter-schema.js";

const userTagQueryPageSchema = wireTagQueryPage(userSchema).meta({ id: "UserPage" });

/** Description of a bulk operation's body. */
const selectionDescription = [
  "Provide either `userIds` (up to 10,000 IDs or external IDs) or a `filter` that selects users by tags or " +
    "behavior. The filter is evaluated before any tags change.",
  "Filtering by behavior also requires the scopes for the data that the filter uses. If a listed user " +
    "doesn't exist, the request fails with 404 and nothing changes.",
].join(" ");

export const tagOperations = {
  create: {
    operationId: "createUserTag",
    summary: "Create a tag",
    description: [
      "The slug is generated from the name. It's unique within the organization and never changes. Default " +
        "color:",
      "`#64748B`.",
    ].join(" "),
    answer: "The new tag.",
    scope: "user_tag:write",
    body: createTagSchema,
    status: 201,
    result: userTagSchema,
    errors: ["user_tag_already_exists", "too_many_user_tags"],
  },
  ensure: {
    operationId: "ensureUserTag",
    summary: "Get or create a tag by slug",
    description:
      "If a tag with this slug exists, returns it unchanged with status 200, regardless of the other " +
      "fields. Otherwise, creates a tag and returns it with status 201. If you don't provide a name, it " +
      "defaults to the slug. If you don't provide a slug, it's generated from the name. Also requires the " +
      "`user_tag:read` scope.",
    answer: "The tag with this slug.",
    scope: ["user_tag:write", "user_tag:read"],
    body: ensureTagSchema,
    statusOfNew: 201,
    result: userTagSchema,
    errors: ["too_many_user_tags"],
  },
  list: {
    operationId: "listUserTags",
    summary: "List all tags",
    answer: "All tags, oldest first.",
    scope: "user_tag:read",
    result: z.array(userTagSchema),
    errors: [],
  },
  query: {
    operationId: "queryUsersByTags",
    summary: "Query users by tag filter",
    description:
      "The operator applies to both `conditions` and nested `filters`. `AND` matches users who match every " +
      "operand, `OR` matches users who match at least one, and `NOT` matches users who match none. A " +
      "filter must have at least one operand, and can have up to 32 levels and 1,000 operands. An unknown " +
      "slug matches no users.",
    answer: "A page of matching users, oldest first, with exact totals.",
    scope: "user_tag:read",
    body: tagQuerySchema,
    result: userTagQueryPageSchema,
    errors: [],
  },
  get: {
    operationId: "getUserTag",
    summary: "Get a tag",
    answer: "The tag.",
    scope: "user_tag:read",
    result: userTagSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateUserTag",
    summary: "Update a tag",
    description:
      "Updates only the fields you provide; `description: null` clears the description. Renaming a tag " +
      "doesn't change its slug.",
    answer: "The updated tag.",
    scope: "user_tag:write",
    body: updateTagSchema,
    result: userTagSchema,
    errors: ["resource_not_found"],
  },
  delete: {
    operationId: "deleteUserTag",
    summary: "Delete a tag",
    description: [
      "Removes the tag from all users and makes its slug available again. The event for each user is " +
        "emitted in the background.",
    ].join(" "),
    answer: "The tag was deleted and removed from all users.",
    scope: "user_tag:write",
    result: null,
    errors: ["resource_not_found"],
  },
  merge: {
    operationId: "mergeUserTag",
    summary: "Merge a tag into another",
    description:
      "Assigns the tag specified by `into` to all users who have this tag, then deletes this tag and makes " +
      "its slug available again. The event for each user is emitted in the background.",
    answer: "The number of users who were newly assigned the other tag, and the number who already had it.",
    scope: "user_tag:write",
    body: mergeTagSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  users: {
    operationId: "listUsersOfUserTag",
    summary: "List users with a tag",
    description: "Streams the full list without pagination.",
    answer: "All users who have the tag, oldest first.",
    scope: "user_tag:read",
    result: userSchema,
    errors: ["resource_not_found"],
  },
  assignUsers: {
    operationId: "assignUserTagToUsers",
    summary: "Assign a tag to users",
    description: `Users who already have the tag are skipped. ${selectionDescription}`,
    answer: "The number of users who were newly assigned the tag, and the number who already had it.",
    scope: "user_tag:write",
    scopesFor: findSelectionScopes,
    body: userSelectionSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  unassignUsers: {
    operationId: "unassignUserTagFromUsers",
    summary: "Remove a tag from users",
    description: `Users without the tag are skipped. ${selectionDescription}`,
    answer: "The number of users the tag was removed from, and the number who didn't have it.",
    scope: "user_tag:write",
    scopesFor: findSelectionScopes,
    body: userSelectionSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  ofUser: {
    operationId: "listUserTagsOfUser",
    summary: "List a user's tags",
    answer: "The user's tags, in the order they were assigned.",
    scope: "user_tag:read",
    isForUsers: true,
    result: z.array(userTagSchema),
    errors: ["resource_not_found"],
  },
  assign: {
    operationId: "assignUserTag",
    summary: "Assign a tag",
    answer: "The new tag assignment.",
    scope: "user_tag:write",
    status: 201,
    result: userTagAssignmentSchema,
    errors: ["resource_not_found", "user_tag_already_assigned"],
  },
  unassign: {
    operationId: "unassignUserTag",
    summary: "Remove a tag",
    description: "Fails with `resource_not_found` if the user doesn't have the tag.",
    answer: "The tag was removed from the user.",
    scope: "user_tag:write",
    result: null,
    errors: ["resource_not_found"],
  },
  verifyIndex: { scope: "user_tag:read" },
  rebuildIndex: { scope: "user_tag:write" },
} satisfies Operations<"tags">;

/**
 * Returns the scopes that a selection requires. It returns none for a selection that can't be parsed, because validation rejects
 * that selection later.
 */
function findSelectionScopes(body: unknown): readonly Scope[] {
  try {
    return listSelectionScopes(parseSelection(body));
  } catch (error) {
    if (isLoyaltyError(error)) return [];
    throw error;
  }
}
