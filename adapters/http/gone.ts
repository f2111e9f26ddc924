import type { ServerResponse } from "node:http";

/** The status that logs show for a request whose client went away. No client receives it. */
export const CLIENT_GONE = 499;

/** Aborted when the client of an answer goes away before it has all of it. */
export function signalOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const gone = () => {
    if (!response.writableFinished) leaving.abort();
  };
  if (response.destroyed) gone();
  else response.once("close", gone);
  return leaving.signal;
}
