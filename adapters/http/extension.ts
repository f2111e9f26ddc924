import type { HttpRequest, HttpResponse } from "./request/http-message.js";

/** Something that answers some paths of its own beside the API. */
export interface HttpExtension {
  /** Below the mount, without a query. One that ends in `/*` stands for every path below it, itself excepted. */
  readonly paths: readonly string[];
  /**
   * Names the paths on which callers authenticate themselves, for example by a session; the extension answers others with
   * 401. Requests for all other paths are strangers': they take turns, and the time that they take is limited.
   */
  readonly authenticated?: readonly string[];
  /**
   * Paths whose responses wait for other servers. Such a request queues like other anonymous ones and then releases its slot, so
   * the extension must limit how many run at the same time.
   */
  readonly waiting?: readonly string[];
  /**
   * Names the paths that end in a signed token, such as the links of mails. However much an address has asked for, a request
   * with a token that holds is answered in its turn. The extension answers others with 404, which counts as a 401 does.
   */
  readonly signed?: readonly string[];
  /**
   * Handles a request for one of the paths, with any method; a failure is a response too. It may treat HEAD like GET, because the
   * body is left out.
   * @param onError receives the cause of a failure that is not the client's.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** True when one of the paths, which may end in `/*`, stands for this one. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
