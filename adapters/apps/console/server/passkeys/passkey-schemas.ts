import * as z from "zod";

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);

/** Maximum lengths in base64url. WebAuthn limits a credential id to 1,023 bytes and a user id to 64 bytes. */
const credentialId = base64url(1_364);
const userHandle = base64url(86);
const clientDataJSON = base64url(4_096);

/** The body of a request for the options with which a device creates a passkey. */
export const passkeyNameSchema = z.object({ name: z.string() });

/** A passkey that a device has just created, with the name that the user chose for it. Unknown fields are ignored. */
export const registrationSchema = passkeyNameSchema.extend({
  credential: z.object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal("public-key"),
    response: z.object({ clientDataJSON, attestationObject: base64url(12_000) }),
  }),
});

export type RegistrationCredential = z.output<typeof registrationSchema>["credential"];

/** A passkey's response to a sign-in challenge. */
export const authenticationSchema = z.object({
  stay: z.boolean(),
  credential: z.object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(4_096),
      signature: base64url(4_096),
      userHandle,
    }),
  }),
});

export type AuthenticationCredential = z.output<typeof authenticationSchema>["credential"];

const clientDataSchema = z.object({ challenge: base64url(200) });

/**
 * Returns the challenge in a credential's client data, or `null` if there is none. The client data hasn't been verified at this
 * point.
 */
export function challengeIn({ response }: RegistrationCredential | AuthenticationCredential): string | null {
  try {
    const told: unknown = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
    return clientDataSchema.parse(told).challenge;
  } catch {
    return null;
  }
}
