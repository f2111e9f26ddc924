import { CallError } from "../api/call-error.js";

export const isUnanswered = (error: unknown) => error instanceof CallError && error.status === 0;

/** Returns whether stamps are to be kept after an error, and so not to be refused: unasked ones also for a busy server. */
export function isForLater(error: unknown, isUnasked: boolean): boolean {
  if (!isUnasked || !(error instanceof CallError)) return isUnanswered(error);
  return [0, 429].includes(error.status) || error.status >= 500;
}
