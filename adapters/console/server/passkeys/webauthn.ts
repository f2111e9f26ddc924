import type { NewPasskey, VerifyPasskey } from "../../../../src/people/passkeys.js";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { requirePeer, throwMissing } from "../../../setup/load-peer.js";
import type { AuthenticationCredential, RegistrationCredential } from "./passkey-schemas.js";
import type { PasskeySite } from "./passkey-site.js";

const PACKAGE = "@simplewebauthn/server";

/** Ed25519, ES256 and RS256, by which devices sign, by their numbers in COSE. */
export const algorithms = [-8, -7, -257];

/** The longest public key that is kept; one of RSA with 4,096 bits has 530. */
const MAX_KEY_BYTES = 1_024;

/** Looks for the package that checks what devices answer. @throws {PackageMissing} if it is not installed. */
export function assertWebauthnInstalled(): void {
  requirePeer(PACKAGE, () => findInstalledFile(PACKAGE));
}

/** Loads it with the first answer. */
const webauthn = () => {
  const missing = throwMissing(PACKAGE);
  return Promise.all([
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "@simplewebauthn/server").catch(missing),
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "@simplewebauthn/server/helpers").catch(
      missing,
    ),
  ]);
};

/** Checks what a device has made for a challenge. @returns `null` if it is not to be believed. */
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
    // Who made a device is of no interest. Without its statement nothing is looked up on the internet, such as revoked certificates.
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

/** Checks what a device has signed for a challenge. */
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

/** The package throws at all that it refuses, and says in words why. */
async function unlessRefused<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
