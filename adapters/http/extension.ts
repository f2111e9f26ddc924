import type { HttpRequest, HttpResponse } from "./request/http-message.js";

/** Serves additional paths next to the API. */
export interface HttpExtension {
  /** The paths below the mount, without a query. A path that ends in `/*` matches all paths below it, but not itself. */
  readonly paths: readonly string[];
  /**
   * Paths on which callers authenticate, for example with a session. The extension must respond to unauthenticated callers with
   * 401. Requests for all other paths are anonymous: they queue fairly, and their processor time is limited.
   */
  readonly authenticated?: readonly string[];
  /**
   * Paths whose responses wait for other servers. Such a request queues like other anonymous ones and then releases its slot, so
   * the extension must itself limit how many run concurrently.
   */
  readonly waiting?: readonly string[];
  /**
   * Paths that end in a signed token, such as links in emails. A request with a valid token is served even if its address has used
   * up its limit. The extension must respond to other requests with 404, which then counts like a 401.
   */
  readonly signed?: readonly string[];
  /**
   * Handles a request for one of the paths, with any method. A failure becomes a response too. HEAD may be treated like GET,
   * because the body is dropped.
   * @param onError receives the cause of a failure that is not the client's fault.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** Returns whether the path matches one of the given paths, which may end in `/*`. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
