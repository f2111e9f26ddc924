/** Number of parts that a wait is divided into. */
const PARTS = 20;

/**
 * Calls `end` after the process has run for another `ms` milliseconds. Each suspension, for example because the machine sleeps or
 * the host blocks the event loop, counts as at most one twentieth of `ms`, because a suspended process can't receive anything.
 * @returns a function that cancels the call.
 */
export function afterRunning(ms: number, end: () => void): () => void {
  let remainingParts = PARTS;
  const runNextPart = () => {
    remainingParts -= 1;
    if (remainingParts === 0) end();
    else timer = setTimeout(runNextPart, ms / PARTS);
  };
  let timer = setTimeout(runNextPart, ms / PARTS);
  return () => clearTimeout(timer);
}
