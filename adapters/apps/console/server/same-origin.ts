import type { HttpRequest } from "../../../http/index.js";
import { getHeaderValue } from "../../../http/request/http-message.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";

/** Header that every API call from the console has. Pages on other sites can't send it. */
const CALL_HEADER = "x-loyalty-console";

/**
 * Returns whether an API call was made by one of the console's own pages. Pages on other sites can send neither the required header
 * nor the session cookie.
 */
export function isSameOriginCall(request: HttpRequest): boolean {
  return getHeaderValue(request.headers, CALL_HEADER) !== null && isSameOrigin(request);
}
