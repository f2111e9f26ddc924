import { randomBytes } from "node:crypto";
import { hashOfToken } from "../base/secrets/token-format.js";
import { isOrganizationId } from "../base/values/ids.js";

const SECRET_BYTES = 32;

/**
 * Format: the organization's ID in base64url, the person's ID without its prefix, an optional marker for an emailed link, and 32
 * bytes in base64url.
 */
const tokenPattern = /^([\w-]{1,600})\.([\w-]{1,64})\.(mail\.)?[\w-]{43}$/;

/**
 * A parsed secret from a sign-in link or session. The secret contains the IDs of its organization and person. Only its hash is
 * stored.
 */
export interface PersonToken {
  readonly organizationId: string;
  readonly personId: string;
  readonly hash: string;
  /** Whether the link was created to be emailed. The marker is covered by the hash, so it can't be added to an existing link. */
  readonly isMailed: boolean;
}

/** Creates the secret for a link or session. It contains 256 random bits. */
export function createPersonToken(organizationId: string, personId: string, isMailed = false): string {
  const organization = Buffer.from(organizationId).toString("base64url");
  const mailMarker = isMailed ? "mail." : "";
  return `${organization}.${personId.slice("per_".length)}.${mailMarker}${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

/** Parses the secret from a sign-in link or session. Returns `null` if it is malformed. */
export function parsePersonToken(token: string): PersonToken | null {
  const [, organization = "", person = "", mailMarker] = tokenPattern.exec(token) ?? [];
  const organizationId = Buffer.from(organization, "base64url").toString();
  if (person === "" || !isOrganizationId(organizationId)) return null;
  return {
    organizationId,
    personId: `per_${person}`,
    hash: hashOfToken(token),
    isMailed: mailMarker !== undefined,
  };
}
