import type { HttpRequest, HttpResponse } from "./request/http-message.js";

/** Additional paths to serve alongside the API, and their handler. */
export interface HttpExtension {
  /**
   * The paths, relative to the path where the API is mounted and without a query. A path that ends in `/*` matches every path below
   * that prefix, but not the prefix itself.
   */
  readonly paths: readonly string[];
  /**
   * Paths on which callers authenticate, for example with a session. The extension must respond to unauthenticated callers with
   * 401. Requests for all other paths are treated as anonymous, so they wait in a fair queue and have a limit on processor time.
   */
  readonly authenticated?: readonly string[];
  /**
   * Paths whose responses wait for other servers. Requests for these paths wait in the same queue as other anonymous requests,
   * but they no longer count toward the queue's concurrency limit once the handler runs. The extension itself must therefore
   * limit how many of these requests it handles at the same time.
   */
  readonly waiting?: readonly string[];
  /**
   * Paths that end in a signed token, such as links in emails. A request with a valid token is served even if the client's
   * address has exceeded its rate limit. If the token is invalid, the extension must respond with 404. The 404 then counts toward
   * the rate limit, just like a 401.
   */
  readonly signed?: readonly string[];
  /**
   * Handles a request for one of the paths, with any method. Must return a response even if handling fails. It can treat HEAD like
   * GET, because response bodies are discarded for HEAD.
   * @param onError a callback that receives the cause of any failure that isn't the client's fault.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** Returns whether the path matches any entry in `paths`. An entry that ends in `/*` matches every path below that prefix. */
export function matchesAnyPath(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
