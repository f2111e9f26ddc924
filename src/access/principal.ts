import type { Scope } from "../base/scopes.js";
import type { Credential } from "../kernel/credential.js";
import type { Actor } from "./actor-schema.js";

/** The access that a verified token grants, and the identity of the caller who presented it. */
export interface Principal {
  /** ID of the organization whose data the caller can access. */
  readonly organizationId: string;
  /** The scopes that the token grants. Calls that require any other scope are rejected. */
  readonly scopes: readonly Scope[];
  /**
   * The service ID or external ID of the user on whose behalf the caller acts. The caller can access only that user's profile and
   * cards.
   */
  readonly user?: string;
  /** The host's ID for the caller. Requests with the same subject share one rate limit. */
  readonly subject?: string;
  /**
   * The ID of the caller's session, such as a grant's ID. It distinguishes callers that have the same subject. See
   * `CallerOptions`.
   */
  readonly session?: string;
  /**
   * The kind and ID of the actor to record for changes, together with `subject`. The kind defaults to `customer` if `user` is set,
   * and to `token` otherwise.
   */
  readonly actor?: { readonly kind: Actor["kind"]; readonly id?: string };
}

/** A registered symbol, so that bundled copies of the package share it. */
const CREDENTIAL: unique symbol = Symbol.for("loyalty-kit.credential");

/** A principal with its caller's credential, stored in a non-enumerable property so that logs don't show it. */
interface PrincipalWithCredential extends Principal {
  readonly [CREDENTIAL]?: Credential;
}

/** Returns the credential that the caller presented, or `undefined` if it is known only to the host. */
export function credentialOf(principal: PrincipalWithCredential): Credential | undefined {
  return principal[CREDENTIAL];
}

/** Returns a copy of the principal that also includes the credential that the caller presented. */
export function withCredential(principal: Principal, credential: Credential): Principal {
  return Object.defineProperty({ ...principal }, CREDENTIAL, { value: credential });
}
