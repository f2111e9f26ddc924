import type { HttpRequest } from "../../http/index.js";
import { headerValue } from "../../http/request/http-message.js";
import { isSameOrigin } from "../../http/request/same-origin.js";

/** Header that every API call from the console has. Pages on other sites can't send it. */
const CALL_HEADER = "x-loyalty-console";

/** Returns false for calls from other sites, which can send neither the header nor the cookie. */
export function isSameOriginCall(request: HttpRequest): boolean {
  return headerValue(request.headers, CALL_HEADER) !== null && isSameOrigin(request);
}
