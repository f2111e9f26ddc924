import type { Scope } from "../../src/scopes.js";
import type { HttpRequest } from "../http/index.js";

/** Who is signed in with the host. */
export interface SignedInUser {
  /** Whose data the user can give apps access to. */
  readonly organizationId: string;
  /** The user, as the host names its users: 1 to 255 characters that stay the same. */
  readonly subject: string;
  /** What the user may allow an app at most; every scope unless given. */
  readonly scopes?: readonly Scope[];
}

/** Nobody is signed in; the browser goes where that is done. */
export interface SignInRedirect {
  /** The host's sign-in page. It must lead back to the URL of the request, query included. */
  readonly redirect: string;
}

/**
 * Tells who is signed in, from the cookies of the request, for one. It is asked again when the user has decided.
 * The body is not to be read.
 */
export type SignedIn = (
  request: HttpRequest,
) => Promise<SignedInUser | SignInRedirect> | SignedInUser | SignInRedirect;
