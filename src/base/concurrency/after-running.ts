/** Number of parts that a wait is divided into. */
const PARTS = 20;

/**
 * Calls `end` once the process has been running for `ms` milliseconds. While the process is suspended, because the machine sleeps
 * or the host blocks the event loop, nothing can arrive, so each suspension counts as at most one twentieth of `ms`.
 * @returns a function that cancels the call.
 */
export function afterRunning(ms: number, end: () => void): () => void {
  let left = PARTS;
  const pass = () => {
    left -= 1;
    if (left === 0) end();
    else timer = setTimeout(pass, ms / PARTS);
  };
  let timer = setTimeout(pass, ms / PARTS);
  return () => clearTimeout(timer);
}
