import type { HttpRequest, HttpResponse } from "./request/message.js";

/** Something that answers some paths of its own beside the API. */
export interface HttpExtension {
  /** Below the mount, without a query. One that ends in `/*` stands for every path below it, itself excepted. */
  readonly paths: readonly string[];
  /**
   * Those of the paths below which callers show who they are, as by a session. Without that they are answered with 401. All
   * others are for strangers, whose requests are answered a few at a time, and limited by the time that they take.
   */
  readonly authenticated?: readonly string[];
  /**
   * Those of the paths whose answers wait for other servers. They are begun when it is their turn, as all that strangers ask
   * for, and then keep no place from others: how many wait at once must be bounded there.
   */
  readonly waiting?: readonly string[];
  /**
   * Answers a request for one of the paths, whatever its method; a failure is an answer too. To HEAD it may answer as to
   * GET: the body is left out.
   * @param onError told the cause of a failure that is not the client's.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}

/** True when one of the paths, which may end in `/*`, stands for this one. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));
}
