import type { HttpRequest } from "../../http/index.js";
import { headerValue } from "../../http/request/message.js";
import { isSameOrigin } from "../../http/request/own-page.js";

/** The header of every call of the console, which no page of another site can send. */
const CALL_HEADER = "x-loyalty-console";

/** False for calls of other sites, which can send neither the header nor the cookie. */
export function isSameOriginCall(request: HttpRequest): boolean {
  return headerValue(request.headers, CALL_HEADER) !== null && isSameOrigin(request);
}
