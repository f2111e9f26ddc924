import { FairSemaphore } from "../concurrency/fair-semaphore.js";
import { failure } from "../errors.js";

/** How many go on at the same time, of which an organization makes one. */
const AT_ONCE = 2;

/** How many of an organization may wait, and for how long, in milliseconds. */
const MAX_WAITING = 20;
const PATIENCE_MS = 60_000;

/** The line for changes of very many rows, each of which is made in parts. */
export function largeChanges(): FairSemaphore {
  return new FairSemaphore(AT_ONCE, 1 / AT_ONCE, {
    length: MAX_WAITING,
    patience: PATIENCE_MS,
    refusal: () => {
      const cause = new Error("too many large changes of the organization are waiting");
      return failure("storage_unavailable", null, { cause });
    },
  });
}
