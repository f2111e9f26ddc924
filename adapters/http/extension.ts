import type { HttpRequest, HttpResponse } from "./request/http-message.js";

/** Additional paths to serve alongside the API, and the handler for them. */
export interface HttpExtension {
  /**
   * The paths, relative to the path where the API is mounted and without a query. A path that ends in `/*` matches every path below
   * that prefix, but not the prefix itself.
   */
  readonly paths: readonly string[];
  /**
   * Paths on which callers authenticate, for example with a session. The extension must respond to unauthenticated callers with
   * 401. Requests for all other paths are treated as anonymous, so they queue fairly and their processor time is limited.
   */
  readonly authenticated?: readonly string[];
  /**
   * Paths whose responses wait for other servers. Requests for these paths queue like any anonymous request, but release their slot
   * before the handler runs. The extension itself must therefore limit how many of these requests run concurrently.
   */
  readonly waiting?: readonly string[];
  /**
   * Paths that end in a signed token, such as links in emails. A request with a valid token is served even if its address has used
   * up its limit. If the token is invalid, the extension must respond with 404. The 404 then counts toward the limit like a 401.
   */
  readonly signed?: readonly string[];
  /**
   * Handles a request for one of the paths, with any method. Must return a response even if handling fails. Can treat HEAD like
   * GET, because the body of a response to HEAD is discarded.
   * @param onError a callback for the cause of a failure that isn't the client's fault.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** Returns whether the path matches one of the given paths. A given path that ends in `/*` matches every path below that prefix. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
