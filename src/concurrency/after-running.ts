/** Number of parts that a wait is divided into. */
const PARTS = 20;

/**
 * Calls `end` once the process has been running for `ms` milliseconds. Each period in which the process is suspended counts as at
 * most one twentieth of `ms`, because nothing can arrive while the machine sleeps or a host blocks the event loop.
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
