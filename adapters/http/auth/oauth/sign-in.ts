import { subjectSchema } from "../../../../src/access/app-schema.js";
import type { Scope } from "../../../../src/base/scopes.js";
import { isOrganizationId } from "../../../../src/base/values/ids.js";
import type { HttpRequest } from "../../index.js";

/** A user who is signed in to the host's application. */
export interface SignedInUser {
  /** The ID of the organization whose data the user can authorize apps to access. */
  readonly organizationId: string;
  /** The host's own ID for the user, 1 to 255 characters long. It must never change. */
  readonly subject: string;
  /** The scopes that the user is allowed to grant to apps. Default: every scope. */
  readonly scopes?: readonly Scope[];
  /**
   * The API token that the user signed in with, if any. When this token expires or is revoked, the access that the user granted to
   * apps ends, too.
   */
  readonly apiToken?: string;
}

/** A redirect to the host's sign-in page. Return this if no user is signed in. */
export interface SignInRedirect {
  /**
   * The URL of the host's sign-in page. After the user signs in, the page must redirect to the request's URL, including its query.
   */
  readonly redirect: string;
}

/**
 * Returns the signed-in user, for example based on the request's cookies, or a redirect to the sign-in page. Called again when the
 * user submits their decision. Must not read the request's body.
 */
export type ResolveSignedInUser = (
  request: HttpRequest,
) => Promise<SignedInUser | SignInRedirect> | SignedInUser | SignInRedirect;

/**
 * Validates the return value of the host's {@link ResolveSignedInUser} callback.
 * @returns the same value.
 * @throws {TypeError} if the value is neither a user nor a redirect.
 */
export function validateSignIn<Result extends SignedInUser | SignInRedirect>(result: Result): Result {
  // A host without type checking can return anything, even null.
  const fields: Readonly<Record<string, unknown>> = Object(result);
  const { organizationId, subject, scopes, apiToken } = fields;
  if ("redirect" in fields) {
    if (typeof fields.redirect === "string") return result;
    throw new TypeError("signedIn must return a redirect that is a string");
  }
  if (!isOrganizationId(organizationId)) {
    throw new TypeError("signedIn must return { redirect } or a user with a valid organizationId");
  }
  if (!subjectSchema.safeParse(subject).success) {
    throw new TypeError("signedIn must return a user with a subject of 1 to 255 characters");
  }
  if (scopes !== undefined && !Array.isArray(scopes)) {
    throw new TypeError("signedIn must return scopes as an array, if it returns any");
  }
  if (apiToken !== undefined && typeof apiToken !== "string") {
    throw new TypeError("signedIn must return apiToken as a string, if it returns one");
  }
  return result;
}
