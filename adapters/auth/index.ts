/** Whom requests speak for: an OAuth 2.0 authorization server of our own, and the tokens of one that a host has. */
export { type JwtOptions, jwtTokens } from "./jwt/jwt-tokens.js";
export type { ServerMetadata } from "./oauth/metadata.js";
export { createOAuth, type OAuth, type OAuthOptions } from "./oauth/oauth.js";
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "./oauth/sign-in.js";
export type { TokenLimitOptions } from "./oauth/token-limits.js";
