/** An OAuth 2.0 authorization server, as an extension of the HTTP interface. */
export type { ServerMetadata } from "./metadata.js";
export { createOAuth, type OAuth, type OAuthOptions } from "./oauth.js";
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "./sign-in.js";
export type { TokenLimitOptions } from "./token-limits.js";
