/** Does something after so many milliseconds. @returns a function that calls it off. */
export type After = (ms: number, work: () => void) => () => void;

export const systemAfter: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};
