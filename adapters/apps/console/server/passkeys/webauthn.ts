import type { NewPasskey, VerifyPasskey } from "../../../../../src/people/passkeys.js";
import { findInstalledFile } from "../../../../setup/installed-file.js";
import { requirePeer, throwMissing } from "../../../../setup/load-peer.js";
import type { AuthenticationCredential, RegistrationCredential } from "./passkey-schemas.js";
import type { PasskeySite } from "./passkey-site.js";

const PACKAGE = "@simplewebauthn/server";

/** COSE identifiers of the accepted signature algorithms: Ed25519, ES256, and RS256. */
export const algorithms = [-8, -7, -257];

/** Maximum size of a stored public key, in bytes. A 4,096-bit RSA key takes 530. */
const MAX_KEY_BYTES = 1_024;

/**
 * Checks that the package that verifies passkeys is installed.
 * @throws {PackageMissing} if the package isn't installed.
 */
export function assertWebauthnInstalled(): void {
  requirePeer(PACKAGE, () => findInstalledFile(PACKAGE));
}

/** Loads the package on first use. */
const webauthn = () => {
  const missing = throwMissing(PACKAGE);
  return Promise.all([
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "@simplewebauthn/server").catch(missing),
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "@simplewebauthn/server/helpers").catch(
      missing,
    ),
  ]);
};

/**
 * Verifies a passkey that a device created in response to a challenge.
 * @returns the verified passkey, or `null` if verification fails.
 */
export async function verifyRegistration(
  credential: RegistrationCredential,
  challenge: string,
  { origin, rpId }: PasskeySite,
): Promise<Omit<NewPasskey, "name"> | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL, isoCBOR }] =
    await webauthn();
  return unlessRefused(async () => {
    const { clientDataJSON, attestationObject } = credential.response;
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get("authData");
    // The device's manufacturer doesn't matter. Removing the attestation statement avoids network lookups, for example of revoked
    // certificates.
    const withoutStatement = isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<string, string>>([
        ["fmt", "none"],
        ["attStmt", new Map<string, string>()],
        ["authData", authData],
      ]),
    );
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject: isoBase64URL.fromBuffer(withoutStatement) },
        clientExtensionResults: {},
      },
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: algorithms },
    });
    if (registrationInfo === undefined) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    if (id !== credential.id || publicKey.byteLength > MAX_KEY_BYTES) return null;
    return { challenge, credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter };
  });
}

/**
 * Returns a function that verifies a device's response to a challenge with the passkey's stored public key. The function resolves
 * to the passkey's new signature counter, or to `null` if verification fails.
 */
export function createVerifier(
  credential: AuthenticationCredential,
  challenge: string,
  { origin, rpId }: PasskeySite,
): VerifyPasskey {
  return async ({ credentialId, publicKey, counter }) => {
    const [{ verifyAuthenticationResponse }, { isoBase64URL }] = await webauthn();
    return unlessRefused(async () => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...credential, clientExtensionResults: {} },
        ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
        credential: { id: credentialId, publicKey: isoBase64URL.toBuffer(publicKey), counter },
        requireUserVerification: true,
      });
      return verified ? authenticationInfo.newCounter : null;
    });
  };
}

/**
 * Returns `null` if the check throws. The package throws for everything that it refuses and distinguishes its reasons only by
 * message.
 */
async function unlessRefused<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
