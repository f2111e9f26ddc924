/** Authorization of requests, either with a built-in OAuth 2.0 authorization server or with JWTs from another server. */
export { type JwtOptions, jwtTokens } from "./jwt/jwt-tokens.js";
export type { ServerMetadata } from "./oauth/metadata.js";
export { createOAuth, type OAuth, type OAuthOptions } from "./oauth/oauth.js";
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "./oauth/sign-in.js";
export type { TokenLimitOptions } from "./oauth/token-limits.js";
