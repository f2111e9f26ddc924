import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { parse } from "../../../../../src/base/parse.js";
import type { Clock } from "../../../../../src/base/values/clock.js";
import { parseUrl } from "../../../../../src/base/values/url.js";
import { serviceInternals } from "../../../../../src/internals.js";
import type { LoyaltyService } from "../../../../../src/loyalty-service.js";
import type { NewPasskey, VerifyPasskey } from "../../../../../src/people/passkeys.js";
import { type Passkey, passkeyNameSchema } from "../../../../../src/people/schema.js";
import type { HttpRequest } from "../../../../http/index.js";
import { ClientWindows } from "../../../../http/rate-limits/client-windows.js";
import { getSecondsLeft } from "../../../../http/rate-limits/store.js";
import { findInstalledFile } from "../../../../setup/installed-file.js";
import { requirePeer, throwMissing } from "../../../../setup/peers.js";
import type { PersonSignIn, RequestOutcome } from "../person-sign-in.js";
import {
  type AuthenticationCredential,
  challengeIn,
  type RegistrationCredential,
} from "./passkey-schemas.js";

const PACKAGE = "@simplewebauthn/server";

/** COSE identifiers of the accepted signature algorithms: Ed25519, ES256, and RS256. */
const algorithms = [-8, -7, -257];

/** Maximum size of a stored public key, in bytes. A 4,096-bit RSA key takes 530. */
const MAX_KEY_BYTES = 1_024;

/**
 * Checks that the package that verifies passkeys is installed.
 * @throws {PackageMissing} if the package isn't installed.
 */
function assertWebauthnInstalled(): void {
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
async function verifyRegistration(
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
function createVerifier(
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

const CHALLENGE_MS = 5 * 60_000;

const KEY_BYTES = 32;

const TIME_BYTES = 8;

const RANDOM_BYTES = 16;

const PART_BYTES = TIME_BYTES + RANDOM_BYTES;

/** The purpose that a challenge is created for, such as signing in. The challenge isn't valid for any other purpose. */
type ChallengePurpose = readonly string[];

/**
 * Creates signed challenges that expire, and verifies them later. Challenges aren't stored, so anonymous clients can't exhaust
 * memory by requesting many of them.
 */
class Challenges {
  private readonly key: Uint8Array;

  /**
   * @param key a secret shared by all processes. If it is `undefined`, a challenge is valid only in the process that created it.
   */
  constructor(
    private readonly clock: Clock,
    key: string | undefined,
  ) {
    this.key =
      key === undefined
        ? randomBytes(KEY_BYTES)
        : new Uint8Array(hkdfSync("sha256", key, "", "passkey challenges", KEY_BYTES));
  }

  /** Creates a base64url-encoded challenge that is valid for five minutes. */
  make(purpose: ChallengePurpose): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(this.clock() + CHALLENGE_MS));
    const part = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
    return Buffer.concat([part, this.signPart(part, purpose)]).toString("base64url");
  }

  /** Returns whether a challenge was created for this purpose with the same key and hasn't expired. */
  isGood(challenge: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    const [part, signature] = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)];
    const right = this.signPart(part, purpose);
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) return false;
    // A different encoding of a used challenge would pass as unused.
    return bytes.toString("base64url") === challenge && this.clock() < Number(part.readBigUInt64BE());
  }

  private signPart(part: Uint8Array, purpose: ChallengePurpose): Buffer {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([purpose, Buffer.from(part).toString("base64url")]))
      .digest();
  }
}

/** Maximum number of requests per anonymous client in 15 minutes, counting both challenges and sign-ins. */
const ASKED = { requests: 200, seconds: 900 };

/** The device must verify its user by fingerprint, face or PIN. */
const userVerification = "required";

/** Signs staff in with passkeys, and lets them add and remove their own passkeys. */
export class PasskeySignIn {
  readonly site: PasskeySite;
  private readonly challenges: Challenges;
  private readonly requests: ClientWindows;
  private readonly signingIn: ChallengePurpose;

  /**
   * @param key a secret shared by all processes. If omitted, a challenge is valid only in the process that created it.
   * @throws {TypeError} if browsers can't create passkeys for the origin.
   * @throws {PackageMissing} if `@simplewebauthn/server` isn't installed.
   */
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly people: PersonSignIn,
    { origin, key }: { readonly origin: string; readonly key: string | undefined },
  ) {
    this.site = passkeySite(origin);
    assertWebauthnInstalled();
    this.challenges = new Challenges(() => serviceInternals(loyalty).now(), key);
    this.requests = new ClientWindows(() => serviceInternals(loyalty).now(), ASKED);
    this.signingIn = ["sign in", this.site.origin];
  }

  /** Counts an anonymous client's request toward the client's rate limit, and returns whether the request is allowed. */
  countRequest({ address }: HttpRequest): RequestOutcome {
    const full = this.requests.count(address);
    return full === null ? { isDone: true } : { isDone: false, waitSeconds: getSecondsLeft(full) };
  }

  /**
   * Returns the WebAuthn options that a browser uses to request a passkey from a device. The options don't list any passkeys, so
   * they don't reveal which staff members have one.
   */
  signInOptions() {
    const { rpId } = this.site;
    return { challenge: this.challenges.make(this.signingIn), rpId, userVerification, timeout: CHALLENGE_MS };
  }

  /**
   * Starts a session with a passkey. Resolves to the session's cookie, or to `null` if the credential can't be verified.
   * @param isLong whether the user asked to stay signed in.
   */
  async signIn(
    credential: AuthenticationCredential,
    isLong: boolean,
    request: HttpRequest,
  ): Promise<string | null> {
    const challenge = challengeIn(credential);
    if (challenge === null || !this.challenges.isGood(challenge, this.signingIn)) return null;
    const personId = Buffer.from(credential.response.userHandle, "base64url").toString();
    const answer = { personId, credentialId: credential.id, challenge };
    const verify = createVerifier(credential, challenge, this.site);
    const { passkeys } = serviceInternals(this.loyalty).signIns;
    return this.people.beginBy((browser) => passkeys.begin(answer, verify, browser), isLong, request);
  }

  /**
   * Resolves to the WebAuthn options that a device uses to create a passkey, or to `null` if no staff member is signed in.
   * Validates the name first so that the device doesn't create a passkey that can't be added afterward.
   * @throws {LoyaltyError} `recent_sign_in_required`, `too_many_passkeys`, or `validation_failed` if the name is invalid.
   */
  async additionOptions(passkeyName: string, request: HttpRequest) {
    parse(passkeyNameSchema, { name: passkeyName });
    const owner = await serviceInternals(this.loyalty).signIns.passkeys.owner(
      this.people.readSecret(request),
    );
    if (owner === null) return null;
    const { organizationId, personId, email, name, shop, credentialIds } = owner;
    return {
      challenge: this.challenges.make(this.addingTo(organizationId, personId)),
      rp: { id: this.site.rpId, name: shop ?? this.site.rpId },
      user: {
        id: Buffer.from(personId).toString("base64url"),
        name: email,
        displayName: shop === null ? (name ?? email) : `${name ?? email} (${shop})`,
      },
      pubKeyCredParams: algorithms.map((alg) => ({ alg, type: "public-key" })),
      timeout: CHALLENGE_MS,
      attestation: "none",
      excludeCredentials: credentialIds.map((id) => ({ id, type: "public-key" })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification },
    };
  }

  /**
   * Adds a passkey that a device has created.
   * @returns the passkey, or `null` if no staff member is signed in or the credential can't be verified.
   * @throws {LoyaltyError} `recent_sign_in_required`, `too_many_passkeys`, or `validation_failed` if the name is invalid.
   */
  async add(name: string, credential: RegistrationCredential, request: HttpRequest): Promise<Passkey | null> {
    const user = await this.people.signedIn(request);
    const challenge = challengeIn(credential);
    if (user?.person == null || challenge === null) return null;
    if (!this.challenges.isGood(challenge, this.addingTo(user.organizationId, user.person.id))) return null;
    const passkey = await verifyRegistration(credential, challenge, this.site);
    if (passkey === null) return null;
    return serviceInternals(this.loyalty).signIns.passkeys.add(this.people.readSecret(request), {
      ...passkey,
      name,
    });
  }

  /**
   * Removes one of the signed-in staff member's passkeys.
   * @returns whether the passkey existed.
   */
  remove(passkeyId: string, request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.passkeys.remove(this.people.readSecret(request), passkeyId);
  }

  private addingTo(organizationId: string, personId: string): ChallengePurpose {
    return ["add", this.site.origin, organizationId, personId];
  }
}

/** The website that passkeys are bound to. */
interface PasskeySite {
  /** The origin that browsers report when a passkey is used, such as `https://shop.example`. */
  readonly origin: string;
  /** The origin's host name, which serves as the relying party ID in WebAuthn. Passkeys are bound to it. */
  readonly rpId: string;
}

/**
 * Parses the console's origin.
 * @throws {TypeError} if browsers can't create passkeys for the origin because its host is an IP address, or because it uses HTTP
 *   on a host other than `localhost`.
 */
function passkeySite(origin: string): PasskeySite {
  const url = parseUrl(origin);
  const isLocal = url?.protocol === "http:" && /^(?:.+\.)?localhost$/.test(url.hostname);
  const host = url?.hostname ?? "";
  if (
    url?.origin !== origin ||
    !(url.protocol === "https:" || isLocal) ||
    isIP(host.replace(/[[\]]/g, "")) > 0
  ) {
    throw new TypeError(
      "passkeys need an origin such as https://shop.example: of https, or http://localhost, without a path, and with a name in place of an IP address",
    );
  }
  return { origin, rpId: host };
}
