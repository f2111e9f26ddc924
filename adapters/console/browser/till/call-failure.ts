import { CallError } from "../api/call-error.js";

/** Returns whether a call's outcome is unknown, because there was no response or the first attempt is still running. */
export const hasNoResponse = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.code === "idempotency_key_in_use");

/**
 * Returns whether stamps should be queued after an error rather than refused. Automatic stamps are also queued if the server is
 * busy.
 */
export function shouldQueue(error: unknown, isUnasked: boolean): boolean {
  if (hasNoResponse(error)) return true;
  return isUnasked && error instanceof CallError && (error.status === 429 || error.status >= 500);
}

/** Resolves to the response, or to `null` if the call failed in a way that {@link shouldQueue} accepts. */
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
