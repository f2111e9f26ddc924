import { subjectSchema } from "../../../src/resources/grant.js";
import type { Scope } from "../../../src/scopes.js";
import { isOrganizationId } from "../../../src/values/ids.js";
import type { HttpRequest } from "../../http/index.js";

/** A user who is signed in with the host. */
export interface SignedInUser {
  /** The organization whose data the user can give apps access to. */
  readonly organizationId: string;
  /** The user, as the host names its users: 1 to 255 characters that stay the same. */
  readonly subject: string;
  /** The scopes that the user may allow an app at most. Default: every scope. */
  readonly scopes?: readonly Scope[];
  /** The API token by which the user signed in, if so: what the user allows ends with it. */
  readonly apiToken?: string;
}

/** No user is signed in; the browser is redirected to the sign-in. */
export interface SignInRedirect {
  /** The host's sign-in page. It must lead back to the URL of the request, query included. */
  readonly redirect: string;
}

/**
 * Tells who is signed in, from the cookies of the request, for one. It is asked again when the user has decided.
 * The body is not to be read.
 */
export type ResolveSignedInUser = (
  request: HttpRequest,
) => Promise<SignedInUser | SignInRedirect> | SignedInUser | SignInRedirect;

/** Checks the answer of a host's {@link ResolveSignedInUser}. @throws {TypeError} if it is neither a user nor a redirect. */
export function validateSignIn<Answer extends SignedInUser | SignInRedirect>(answer: Answer): Answer {
  // A host without types can answer anything, null too.
  const given: Readonly<Record<string, unknown>> = Object(answer);
  const { organizationId, subject, scopes, apiToken } = given;
  if ("redirect" in given) {
    if (typeof given.redirect === "string") return answer;
    throw new TypeError("signedIn must answer a redirect that is a text");
  }
  if (!isOrganizationId(organizationId)) {
    throw new TypeError("signedIn must answer { redirect }, or a user whose organizationId can be one");
  }
  if (!subjectSchema.safeParse(subject).success) {
    throw new TypeError("signedIn must answer a user with a subject of 1 to 255 characters");
  }
  if (scopes !== undefined && !Array.isArray(scopes)) {
    throw new TypeError("signedIn must answer a user whose scopes, if any are given, are a list");
  }
  if (apiToken !== undefined && typeof apiToken !== "string") {
    throw new TypeError("signedIn must answer a user whose apiToken, if any is given, is a text");
  }
  return answer;
}
