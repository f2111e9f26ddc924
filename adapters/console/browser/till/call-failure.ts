import { CallError } from "../api/call-error.js";

/**
 * Returns whether it is unknown if a failed call took effect, either because there was no response or because its first attempt is
 * still running.
 */
export const hasNoResponse = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.code === "idempotency_key_in_use");

/**
 * Returns whether stamps whose call failed should be queued instead of refused. They are queued if the call may have taken effect.
 * Automatic stamps are also queued if the server is busy or fails.
 * @param isUnasked true if the till adds the stamps automatically.
 */
export function shouldQueue(error: unknown, isUnasked: boolean): boolean {
  if (hasNoResponse(error)) return true;
  return isUnasked && error instanceof CallError && (error.status === 429 || error.status >= 500);
}

/**
 * Resolves to the call's response, or to `null` if the call failed but {@link shouldQueue} returns true for its error. Rejects with
 * any other error.
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
