import * as z from "zod";
import { isLoyaltyError } from "../errors.js";
import { wireTagQueryPage } from "../resources/page.js";
import {
  createTagSchema,
  ensureTagSchema,
  updateTagSchema,
  userTagAssignmentSchema,
  userTagSchema,
} from "../resources/tag.js";
import { tagQuerySchema } from "../resources/tag-filter.js";
import {
  mergeTagSchema,
  parseSelection,
  taggingResultSchema,
  userSelectionSchema,
} from "../resources/tagging.js";
import { userSchema } from "../resources/user.js";
import type { Scope } from "../scopes.js";
import { scopesToSelect } from "../tags/bulk-tagging.js";
import type { Operations } from "./operation.js";

const userTagQueryPageSchema = wireTagQueryPage(userSchema).meta({ id: "UserPage" });

/** The meaning of the body of a bulk operation. */
const selection = [
  "The body has either `userIds`, service ids and external ids of at most 10,000 users, or a `filter`, of tags",
  "or behavior, which selects whom it finds before the change. For behavior the scopes of what it reads are needed too. An unknown user is not found, and nobody is changed then.",
].join(" ");

/** The operations on tags, and on the segments that they make. */
export const tagOperations = {
  create: {
    operationId: "createUserTag",
    summary: "Create a tag",
    description: [
      "The slug is made from the name, is unique in the organization and never changes.",
      "Without a color the tag gets `#64748B`.",
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
    summary: "Get a tag by its slug, or create it",
    description: [
      "A tag with the slug comes back unchanged with 200, whatever the other fields say; a new one with 201. Without a name a new",
      "tag is called as its slug is, and without a slug it is made from the name. The scope `user_tag:read` is needed too.",
    ].join(" "),
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
    description: [
      "The operator applies to `conditions` and nested `filters` alike: AND finds users whom every operand",
      "matches, OR at least one, NOT none. A filter needs at least one operand, and has at most 32 levels and",
      "1,000 operands. A slug that no tag has matches nobody.",
    ].join(" "),
    answer: "One page of the users found, oldest first, with exact totals.",
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
      "Only sent fields change; `description: null` clears it. The slug stays when the tag is renamed.",
    answer: "The tag as it is now.",
    scope: "user_tag:write",
    body: updateTagSchema,
    result: userTagSchema,
    errors: ["resource_not_found"],
  },
  delete: {
    operationId: "deleteUserTag",
    summary: "Delete a tag",
    description:
      "Nobody has the tag any more, and its slug is free again. The events of the users who had it follow.",
    answer: "The tag is deleted.",
    scope: "user_tag:write",
    result: null,
    errors: ["resource_not_found"],
  },
  merge: {
    operationId: "mergeUserTag",
    summary: "Merge a tag into another",
    description:
      "Whoever has the tag gets the one named by `into`; the tag is deleted, and its slug is free again. The events of the users follow.",
    answer: "How many users got the other tag, and how many had it before.",
    scope: "user_tag:write",
    body: mergeTagSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  users: {
    operationId: "listUsersOfUserTag",
    summary: "List users with a tag",
    description: "The list has no pages and is streamed.",
    answer: "All users who have the tag, oldest first.",
    scope: "user_tag:read",
    result: userSchema,
    errors: ["resource_not_found"],
  },
  assignUsers: {
    operationId: "assignUserTagToUsers",
    summary: "Assign a tag to many users",
    description: `Users who have the tag already keep it as it is. ${selection}`,
    answer: "How many users got the tag, and how many had it before.",
    scope: "user_tag:write",
    scopesFor: scopesOfSelection,
    body: userSelectionSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  unassignUsers: {
    operationId: "unassignUserTagFromUsers",
    summary: "Unassign a tag from many users",
    description: `Users who do not have the tag are no error. ${selection}`,
    answer: "How many users lost the tag, and how many did not have it before.",
    scope: "user_tag:write",
    scopesFor: scopesOfSelection,
    body: userSelectionSchema,
    result: taggingResultSchema,
    errors: ["resource_not_found"],
  },
  ofUser: {
    operationId: "listUserTagsOfUser",
    summary: "List a user's tags",
    answer: "The user's tags, oldest assignment first.",
    scope: "user_tag:read",
    isForUsers: true,
    result: z.array(userTagSchema),
    errors: ["resource_not_found"],
  },
  assign: {
    operationId: "assignUserTag",
    summary: "Assign a tag",
    answer: "The new assignment.",
    scope: "user_tag:write",
    status: 201,
    result: userTagAssignmentSchema,
    errors: ["resource_not_found", "user_tag_already_assigned"],
  },
  unassign: {
    operationId: "unassignUserTag",
    summary: "Unassign a tag",
    description: "A tag that the user does not have is not found.",
    answer: "The user no longer has the tag.",
    scope: "user_tag:write",
    result: null,
    errors: ["resource_not_found"],
  },
  verifyIndex: { scope: "user_tag:read" },
  rebuildIndex: { scope: "user_tag:write" },
} satisfies Operations<"tags">;

/** A filter that can't be read is refused later. */
function scopesOfSelection(body: unknown): readonly Scope[] {
  try {
    return scopesToSelect(parseSelection(body));
  } catch (error) {
    if (isLoyaltyError(error)) return [];
    throw error;
  }
}
