import { parse } from "../../../../../src/base/parse.js";
import { serviceInternals } from "../../../../../src/internals.js";
import type { LoyaltyService } from "../../../../../src/loyalty-service.js";
import { type Passkey, passkeyNameSchema } from "../../../../../src/people/schema.js";
import type { HttpRequest } from "../../../../http/index.js";
import { ClientWindows } from "../../../../http/rate-limits/client-windows.js";
import { secondsLeft } from "../../../../http/rate-limits/store.js";
import type { PersonSignIn, RequestOutcome } from "../person-sign-in.js";
import { CHALLENGE_MS, type ChallengePurpose, Challenges } from "./challenges.js";
import {
  type AuthenticationCredential,
  challengeIn,
  type RegistrationCredential,
} from "./passkey-schemas.js";
import { type PasskeySite, passkeySite } from "./passkey-site.js";
import { algorithms, assertWebauthnInstalled, createVerifier, verifyRegistration } from "./webauthn.js";

/** Maximum number of requests per anonymous client in 15 minutes, counting both challenges and sign-ins. */
const ASKED = { requests: 200, seconds: 900 };

/** The device must verify its user by fingerprint, face or PIN. */
const userVerification = "required";

/** Signs staff in with passkeys, and lets them add and remove their own passkeys. */
export class PasskeySignIn {
  readonly site: PasskeySite;
  private readonly challenges: Challenges;
  private readonly asked: ClientWindows;
  private readonly signingIn: ChallengePurpose;

  /**
   * @param key a secret shared by all processes. If it is omitted, a challenge is valid only in the process that created it.
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
    this.asked = new ClientWindows(() => serviceInternals(loyalty).now(), ASKED);
    this.signingIn = ["sign in", this.site.origin];
  }

  /** Counts a request from an anonymous client toward the client's rate limit, and returns whether the request is allowed. */
  countRequest({ address }: HttpRequest): RequestOutcome {
    const full = this.asked.count(address);
    return full === null ? { isDone: true } : { isDone: false, waitSeconds: secondsLeft(full) };
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
    const made = await verifyRegistration(credential, challenge, this.site);
    if (made === null) return null;
    return serviceInternals(this.loyalty).signIns.passkeys.add(this.people.readSecret(request), {
      ...made,
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
