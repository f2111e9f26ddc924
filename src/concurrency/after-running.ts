/** A wait has this many parts. */
const PARTS = 20;

/**
 * Calls `end` once the process has run for some milliseconds. Time in which it stands still counts as one part of twenty at
 * most: while the machine sleeps, or a host keeps the event loop for itself, what is waited for can't come.
 * @returns a function that cancels it.
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
