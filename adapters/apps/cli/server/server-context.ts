import { toUsageError } from "../terminal/command-error.js";
import type { ServerLog } from "./log.js";
import type { Shutdown } from "./shutdown.js";

/** Objects that all parts of a server share from startup until shutdown. */
export interface ServerContext {
  readonly log: ServerLog;
  readonly shutdown: Shutdown;
  /** Called with each error that isn't handled by the part of the server where it occurs. */
  readonly onError: (error: unknown) => void;
}

/**
 * Calls `make` to create a part of the server. Converts an error about an invalid option to a {@link CommandError}.
 * @throws {CommandError} if one of the part's options is invalid.
 */
export function createPart<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    throw toUsageError(error);
  }
}
