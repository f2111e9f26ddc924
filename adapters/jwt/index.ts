export { type JwtOptions, jwtTokens } from "./jwt-tokens.js";
