/** An HTTP client for an organization's calls, which throws the same errors as the library. */
export { type ErrorCode, type ErrorDetail, isLoyaltyError, LoyaltyError } from "../../../src/base/errors.js";
export type { OrganizationCalls } from "../../../src/operation-groups.js";
export { createClient } from "./client.js";
export type { ClientOptions } from "./connection.js";
export { ConnectionError } from "./error-response.js";
export type { ClientToken } from "./token-source.js";
