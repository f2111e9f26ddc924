import * as z from "zod";
import { dayOrTime } from "../base/fields/instant.js";
import { languageText } from "../base/fields/language.js";
import { metadataOf, metadataSchema } from "../base/fields/metadata.js";
import { emailText, nameText, nonBlankText, text, urlCanName, wireTimestamp } from "../base/fields/text.js";
import { timesOf } from "../base/values/clock.js";
import { looksLikeUserId } from "../base/values/ids-in-text.js";
import { consentText } from "../messages/subscription-schema.js";
import type { StoredUser } from "../storage/users.js";
import { createTagSchema } from "../tags/schema.js";

const name = nameText(150);
const phone = nonBlankText(20);
const externalId = nonBlankText(100)
  .refine((value) => !looksLikeUserId(value), { error: "must not look like a user id (usr_…)" })
  .refine(...urlCanName);

export const userSchema = z
  .object({
    id: z.string(),
    object: z.literal("user"),
    email: z.string().nullable(),
    name: z.string().nullable(),
    phone: z.string().nullable(),
    externalId: z.string().nullable(),
    metadata: metadataSchema,
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "User" });

/** A customer's record in one organization, as the API returns it. */
export type User = z.output<typeof userSchema>;

/** The schema for a deleted user, with the fields that remain. */
export const deletedUserSchema = userSchema.pick({ id: true, object: true }).meta({ id: "DeletedUser" });

export type DeletedUser = z.output<typeof deletedUserSchema>;

export const createUserSchema = z
  .object({
    email: emailText.nullish(),
    name: name.nullish(),
    phone: phone.nullish(),
    externalId: externalId.nullish(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "CreateUser" });

export type CreateUser = z.input<typeof createUserSchema>;

/** The schema for finding a user by email. It accepts any string, but a string that isn't an email address matches no user. */
export const findUserSchema = z.object({ email: text() });

export type FindUser = z.input<typeof findUserSchema>;

/** The schema for changes to a user. Only the given fields change. `null` clears a field. `metadata` is replaced as a whole. */
export const updateUserSchema = z
  .object({
    email: emailText.nullable().optional(),
    name: name.nullable().optional(),
    phone: phone.nullable().optional(),
    externalId: externalId.nullable().optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "UpdateUser" });

export type UpdateUser = z.input<typeof updateUserSchema>;

export const importUserSchema = createUserSchema.extend({
  tags: z.array(createTagSchema.shape.name).optional(),
  emailConsent: z.enum(["SUBSCRIBED", "UNSUBSCRIBED"]).nullish(),
  consentAt: dayOrTime.nullish(),
  consentText: consentText.nullish(),
  language: languageText.nullish(),
});

/**
 * Input for importing a user: the same fields as for `create`, plus the user's tags, each given as a slug or as a name that is
 * converted to a slug. `emailConsent` is the user's consent to receive messages by email. `SUBSCRIBED` requires the time of the
 * consent (`consentAt`), and can include the text that the user agreed to (`consentText`). `language` is a BCP 47 tag for the
 * user's emails.
 */
export type ImportUser = z.input<typeof importUserSchema>;

/** The schema for all columns of an import row, including columns that exports contain but imports can't set. */
export const importRowSchema = importUserSchema.extend(
  userSchema.pick({ id: true, object: true, createdAt: true, updatedAt: true }).shape,
);

/** A user as returned by exports, with the slugs of their tags. */
export type ExportedUser = User & {
  /** The slugs of the user's tags, oldest assignment first. */
  tags: string[];
};

export function userOf(user: StoredUser): User {
  return {
    id: user.id,
    object: "user",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.externalId,
    metadata: metadataOf(user.metadata),
    ...timesOf(user),
  };
}

export function deletedUserOf({ id }: Pick<StoredUser, "id">): DeletedUser {
  return { id, object: "user" };
}
