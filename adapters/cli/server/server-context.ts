import { toUsageError } from "../terminal/command-error.js";
import type { ServerLog } from "./log.js";
import type { Shutdown } from "./shutdown.js";

/** Shared by the parts of a server while it starts. */
export interface ServerContext {
  readonly log: ServerLog;
  readonly shutdown: Shutdown;
  /** Receives errors from now on. */
  readonly onError: (error: unknown) => void;
}

/** Creates a part of the server by its options. @throws {CommandError} if one of them can't be so. */
export function createPart<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    throw toUsageError(error);
  }
}
