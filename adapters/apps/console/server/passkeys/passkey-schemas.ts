import * as z from "zod";

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);

/** Maximum lengths in base64url. WebAuthn limits a credential ID to 1,023 bytes and a user ID to 64 bytes. */
const credentialId = base64url(1_364);
const userHandle = base64url(86);
const clientDataJSON = base64url(4_096);

/** The body of a request for passkey creation options. */
export const passkeyNameSchema = z.object({ name: z.string() });

/**
 * The body of a request that adds a passkey. It contains the passkey that the device has just created and the name that the user
 * chose. Unknown fields are ignored.
 */
export const registrationSchema = passkeyNameSchema.extend({
  credential: z.object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal("public-key"),
    response: z.object({ clientDataJSON, attestationObject: base64url(12_000) }),
  }),
});

export type RegistrationCredential = z.output<typeof registrationSchema>["credential"];

/** The body of a request that signs in with a passkey: the device's response to a challenge, and whether to stay signed in. */
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

/** Returns the challenge from a credential's unverified client data, or `null` if the client data is malformed. */
export function challengeIn({ response }: RegistrationCredential | AuthenticationCredential): string | null {
  try {
    const clientData: unknown = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
    return clientDataSchema.parse(clientData).challenge;
  } catch {
    return null;
  }
}
