import { CallError } from "../api/call-error.js";

export const isUnanswered = (error: unknown) => error instanceof CallError && error.status === 0;

/** Returns whether stamps are to be kept after an error, and so not to be refused: unasked ones also for a busy server. */
export function isForLater(error: unknown, isUnasked: boolean): boolean {
  if (!isUnasked || !(error instanceof CallError)) return isUnanswered(error);
  return [0, 429].includes(error.status) || error.status >= 500;
}

/** Resolves to `null` where {@link isForLater} says so of the error, so that the stamps are to be kept. */
export async function nullForLater<Answer>(
  answer: Promise<Answer>,
  isUnasked: () => boolean,
): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (isForLater(error, isUnasked())) return null;
    throw error;
  }
}
