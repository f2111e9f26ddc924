import { CallError } from "../api/call-error.js";

/** Returns whether a failed call might still take effect because the response was lost or the first attempt is still running. */
export const hasNoResponse = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.code === "idempotency_key_in_use");

/**
 * Returns whether to queue the stamps from a failed call instead of showing the error. Stamps are queued if the call might have
 * taken effect. Stamps that the till adds automatically are also queued if the server is busy or fails.
 * @param isAutomatic whether the till adds the stamps automatically.
 */
export function shouldQueue(error: unknown, isAutomatic: boolean): boolean {
  if (hasNoResponse(error)) return true;
  return isAutomatic && error instanceof CallError && (error.status === 429 || error.status >= 500);
}

/**
 * Resolves to the call's response, or to `null` if the call failed with an error for which {@link shouldQueue} returns true.
 * Rejects with any other error.
 */
export async function awaitUnlessQueued<Result>(
  call: Promise<Result>,
  isAutomatic: () => boolean,
): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (shouldQueue(error, isAutomatic())) return null;
    throw error;
  }
}
