import { toUsageError } from "../terminal/command-error.js";
import type { ServerLog } from "./log.js";
import type { Shutdown } from "./shutdown.js";

/** Context shared by a server's parts while it starts. */
export interface ServerContext {
  readonly log: ServerLog;
  readonly shutdown: Shutdown;
  /** Receives errors from the running parts. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates a part of the server.
 * @throws {CommandError} if one of its options is invalid.
 */
export function createPart<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    throw toUsageError(error);
  }
}
