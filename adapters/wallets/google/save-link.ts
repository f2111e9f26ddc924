import { SignJWT } from "jose";
import type { GoogleIdentity } from "./identity.js";

const SAVE = "https://pay.google.com/gp/v/save/";

/** A longer link is cut off on its way. */
const MAX_LENGTH = 1_800;

/** Where somebody adds an object, which Google has already, to the own wallet. It names no more than its id. */
export async function saveLink(
  { clientEmail, keyId, key }: GoogleIdentity,
  objectId: string,
  now: number,
): Promise<string> {
  const token = await new SignJWT({ typ: "savetowallet", payload: { loyaltyObjects: [{ id: objectId }] } })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== null && { kid: keyId }) })
    .setIssuer(clientEmail)
    .setAudience("google")
    .setIssuedAt(Math.floor(now / 1_000))
    .sign(key);
  const link = `${SAVE}${token}`;
  if (link.length > MAX_LENGTH)
    throw new RangeError("the key of Google's service account is too long for a link");
  return link;
}
