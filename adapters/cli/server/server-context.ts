import { toUsageError } from "../terminal/command-error.js";
import type { ServerLog } from "./log.js";
import type { Shutdown } from "./shutdown.js";

/** Context that a server's parts share, from startup until they stop. */
export interface ServerContext {
  readonly log: ServerLog;
  readonly shutdown: Shutdown;
  /** Called with any error in a running part. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates a part of the server by calling `make`.
 * @throws {CommandError} if one of the part's options is invalid.
 */
export function createPart<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    throw toUsageError(error);
  }
}
