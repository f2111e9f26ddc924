import type { HttpRequest } from "../../http/index.js";
import { headerValue } from "../../http/request/http-message.js";
import { isSameOrigin } from "../../http/request/same-origin.js";

/** The header of every call of the console, which no page of another site can send. */
const CALL_HEADER = "x-loyalty-console";

/** False for calls of other sites, which can send neither the header nor the cookie. */
export function isSameOriginCall(request: HttpRequest): boolean {
  return headerValue(request.headers, CALL_HEADER) !== null && isSameOrigin(request);
}
