import type { HttpRequest, HttpResponse } from "./request/message.js";

/** Something that answers some paths of its own beside the API. */
export interface HttpExtension {
  /** Below the mount, without a query. */
  readonly paths: readonly string[];
  /**
   * Answers a request for one of the paths, whatever its method; a failure is an answer too. To HEAD it may answer as to
   * GET: the body is left out.
   * @param onError told the cause of a failure that is not the client's.
   */
  readonly handle: (request: HttpRequest, onError: (error: unknown) => void) => Promise<HttpResponse>;
}
