import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { CallError } from "./call-error.js";

/** Something that is loaded. What was there stays while it is loaded anew, so nothing jumps. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly error: CallError | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Shows something that is known to be so now. */
  readonly set: (value: T) => void;
}

/**
 * Loads, and again when the key changes; an answer that comes too late is dropped.
 * @param delay how long after it has begun to load it does so again at the soonest, in milliseconds: while one types fast, not
 *   every key is sent.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>, delay = 0): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: CallError | null; isLoading: boolean }>({
    value: null,
    error: null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const begun = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    const wait = Math.max(begun.current + delay - performance.now(), 0);
    const aborter = new AbortController();
    const { signal } = aborter;
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => {
      begun.current = performance.now();
      latest.current(signal).then(
        (value) => {
          if (!signal.aborted) setState({ value, error: null, isLoading: false });
        },
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof CallError)) throw error;
          setState((before) => ({ value: before.value, error, isLoading: false }));
        },
      );
    }, wait);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key, turn, delay]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const set = useCallback((value: T) => setState({ value, error: null, isLoading: false }), []);
  return { ...state, reload, set };
}

/** Does something every so often while the page is looked at. */
export function useEvery(ms: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
