import * as z from "zod";
import { languageText } from "../base/fields/language.js";
import { emailText, singleLineName, wireTimestamp } from "../base/fields/text.js";
import { pageQuerySchema, wirePage } from "../base/page.js";
import { roles } from "../base/scopes.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import type { StoredPasskey, StoredPerson, StoredPersonSession } from "../storage/people.js";

const MAX_NAME_LENGTH = 150;
const MAX_PASSKEY_NAME_LENGTH = 60;

const role = z.enum(roles).meta({ id: "Role" });

export const personSchema = z
  .object({
    id: z.string(),
    object: z.literal("person"),
    email: z.string(),
    name: z.string().nullable(),
    role,
    status: z.enum(["INVITED", "ACTIVE"]),
    invitedAt: wireTimestamp,
    lastSignedInAt: wireTimestamp.nullable(),
  })
  .meta({ id: "Person" });

/**
 * A staff account. The staff member signs in to the console by email and has the scopes of `role`. The status is `INVITED` until
 * the first sign-in.
 */
export type Person = z.output<typeof personSchema>;

export const personPageSchema = wirePage(personSchema).meta({ id: "PersonPage" });

export const invitePersonSchema = z
  .object({
    email: emailText,
    name: singleLineName(MAX_NAME_LENGTH).nullish(),
    role,
    language: languageText.nullish(),
  })
  .meta({ id: "InvitePerson" });

/**
 * An invitation for a new staff member. `language` is the email's language, as a BCP 47 tag. Default: the organization's language.
 */
export type InvitePerson = z.input<typeof invitePersonSchema>;

export const addPersonSchema = invitePersonSchema.omit({ language: true });

/** A new staff account. The host delivers the sign-in link itself, so no email is sent. */
export type AddPerson = z.input<typeof addPersonSchema>;

export const invitePersonAgainSchema = z
  .object({ language: languageText.nullish() })
  .meta({ id: "InvitePersonAgain" });

/** Options for inviting a person again. `language` is the email's language, as in {@link InvitePerson}. */
export type InvitePersonAgain = z.input<typeof invitePersonAgainSchema>;

export const updatePersonSchema = z
  .object({ name: singleLineName(MAX_NAME_LENGTH).nullable().optional(), role: role.optional() })
  .meta({ id: "UpdatePerson" });

/** Changes to a person. Only the given fields change. `null` clears `name`. */
export type UpdatePerson = z.input<typeof updatePersonSchema>;

export const personListQuerySchema = pageQuerySchema;

export const personSessionSchema = z
  .object({
    id: z.string(),
    object: z.literal("person_session"),
    device: z.string(),
    createdAt: wireTimestamp,
    lastSeenAt: wireTimestamp,
    expiresAt: wireTimestamp,
  })
  .meta({ id: "PersonSession" });

/** A browser in which a person is signed in. `lastSeenAt` can be up to an hour out of date. */
export type PersonSession = z.output<typeof personSessionSchema>;

export const passkeyNameSchema = z.object({ name: singleLineName(MAX_PASSKEY_NAME_LENGTH) });

/** A passkey as the console shows it to the person who added it. */
export interface Passkey {
  readonly id: string;
  readonly object: "passkey";
  readonly name: string;
  readonly createdAt: string;
  /** When the passkey was last used to sign in, or `null` if it has never been used. */
  readonly lastUsedAt: string | null;
}

/** A link that signs a person in. It works only once. `path` is relative to the server's URL. */
export interface PersonLink {
  /** The link's path, relative to the server's URL. */
  readonly path: string;
  /** When the link expires, as an ISO 8601 timestamp. */
  readonly expiresAt: string;
}

/** A new person, with a sign-in link that the host must give to them. */
export interface AddedPerson {
  /** The new staff account. Its status is `INVITED` until the person first signs in. */
  readonly person: Person;
  /** The sign-in link that the host must give to the new person. */
  readonly link: PersonLink;
}

export function personOf(person: StoredPerson): Person {
  const { id, email, name, role: assignedRole, invitedAt, lastSignedInAt } = person;
  return {
    id,
    object: "person",
    email,
    name,
    role: assignedRole,
    status: lastSignedInAt === null ? "INVITED" : "ACTIVE",
    invitedAt: timestamp(invitedAt),
    lastSignedInAt: timestampOrNull(lastSignedInAt),
  };
}

export function personSessionOf({
  id,
  device,
  createdAt,
  lastSeenAt,
  expiresAt,
}: StoredPersonSession): PersonSession {
  return {
    id,
    object: "person_session",
    device,
    createdAt: timestamp(createdAt),
    lastSeenAt: timestamp(lastSeenAt),
    expiresAt: timestamp(expiresAt),
  };
}

export function passkeyOf({ id, name, createdAt, lastUsedAt }: StoredPasskey): Passkey {
  return {
    id,
    object: "passkey",
    name,
    createdAt: timestamp(createdAt),
    lastUsedAt: timestampOrNull(lastUsedAt),
  };
}
