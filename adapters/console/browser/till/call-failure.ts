import { CallError } from "../api/call-error.js";

/** Returns whether the outcome of a call is unknown: there was no response, or its first try is still running. */
export const hasNoResponse = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.code === "idempotency_key_in_use");

/** Returns whether stamps are to be kept after an error, and so not to be refused: unasked ones also for a busy server. */
export function shouldQueue(error: unknown, isUnasked: boolean): boolean {
  if (hasNoResponse(error)) return true;
  return isUnasked && error instanceof CallError && (error.status === 429 || error.status >= 500);
}

/** Resolves to `null` if {@link shouldQueue} says so of the error, so that the stamps are to be kept. */
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
