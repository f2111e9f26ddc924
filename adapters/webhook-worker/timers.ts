/** Does something after so many milliseconds. @returns a function that calls it off. */
export type After = (ms: number, work: () => void) => () => void;

/** {@link After} by the system's timers. A timer under way keeps the process alive. */
export const systemAfter: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};
