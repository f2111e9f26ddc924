import type { HttpRequest, HttpResponse } from "./request/http-message.js";

/** Serves further paths beside the API. */
export interface HttpExtension {
  /** The paths below the mount, without a query. A path that ends in `/*` matches all paths below it, but not itself. */
  readonly paths: readonly string[];
  /**
   * The paths on which callers authenticate themselves, for example by a session. The extension answers other callers with 401.
   * Requests for all other paths are anonymous: they queue fairly, and their processor time is limited.
   */
  readonly authenticated?: readonly string[];
  /**
   * Paths whose responses wait for other servers. Such a request queues like other anonymous ones and then releases its slot, so
   * the extension must limit how many run at the same time.
   */
  readonly waiting?: readonly string[];
  /**
   * The paths that end in a signed token, such as links in mails. A request with a valid token is answered even if its address has
   * used up its limit. The extension answers other requests with 404, which counts like a 401.
   */
  readonly signed?: readonly string[];
  /**
   * Handles a request for one of the paths, with any method; a failure is a response too. It may treat HEAD like GET, because the
   * body is left out.
   * @param onError receives the cause of a failure that is not the client's.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** Returns whether one of the paths, which may end in `/*`, matches. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
