import { CallError } from "../api/call-error.js";

/**
 * Returns whether a failed call may still have taken effect, because there was no response or because its first attempt is still
 * running.
 */
export const hasNoResponse = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.code === "idempotency_key_in_use");

/**
 * Returns whether to queue stamps, rather than refuse them, after their call has failed. They are queued if the call may have taken
 * effect. Automatic stamps are also queued if the server is busy or fails.
 * @param isUnasked true if the till adds the stamps automatically.
 */
export function shouldQueue(error: unknown, isUnasked: boolean): boolean {
  if (hasNoResponse(error)) return true;
  return isUnasked && error instanceof CallError && (error.status === 429 || error.status >= 500);
}

/**
 * Resolves to the call's response, or to `null` if the call failed with an error for which {@link shouldQueue} returns true.
 * Rejects with any other error.
 */
export async function orQueue<Answer>(
  answer: Promise<Answer>,
  isUnasked: () => boolean,
): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (shouldQueue(error, isUnasked())) return null;
    throw error;
  }
}
