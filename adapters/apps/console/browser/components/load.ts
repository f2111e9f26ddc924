import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { type CallError, requireCallError } from "../api/call-error.js";
import { createCalls } from "../api/calls.js";

interface LoadState<T> {
  readonly value: T | null;
  readonly error: CallError | null;
  readonly isLoading: boolean;
}

/** Data loaded by {@link useLoad}. During a reload, the previous value is kept so that the layout doesn't jump. */
export interface LoadedData<T> extends LoadState<T> {
  readonly reload: () => void;
  /** Replaces the loaded value and clears any error, without sending a request. */
  readonly set: (value: T) => void;
}

/**
 * Loads data, and reloads it whenever `key` changes. If the server couldn't be reached, also reloads it once the browser is online
 * again. Discards the response to a load if a newer load has started.
 * @param load a function that loads the data. It must send its requests through the given `calls`, which are aborted when their
 *   results are no longer needed.
 * @param delay the minimum interval between the starts of two loads, in milliseconds. It prevents a request on every keystroke.
 */
export function useLoad<T>(
  key: string,
  load: (calls: OrganizationCalls) => Promise<T>,
  delay = 0,
): LoadedData<T> {
  const [state, setState] = useState<LoadState<T>>({
    value: null,
    error: null,
    isLoading: true,
  });
  const [reloadCount, setReloadCount] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const startedAt = useRef(Number.NEGATIVE_INFINITY);

  // A layout effect, so that the request is on its way before the browser draws the screen that waits for it.
  useLayoutEffect(() => {
    const wait = startedAt.current + delay - performance.now();
    const controller = new AbortController();
    const { signal } = controller;
    setState((previous) => (previous.isLoading ? previous : { ...previous, isLoading: true }));
    const start = () => {
      startedAt.current = performance.now();
      latest.current(createCalls({ signal })).then(
        (value) => {
          if (!signal.aborted) setState({ value, error: null, isLoading: false });
        },
        (error: unknown) => {
          if (signal.aborted) return;
          const callError = requireCallError(error);
          setState((previous) => ({ value: previous.value, error: callError, isLoading: false }));
        },
      );
    };
    const timer = wait > 0 ? setTimeout(start, wait) : undefined;
    if (timer === undefined) start();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, reloadCount, delay]);

  const reload = useCallback(() => setReloadCount((previous) => previous + 1), []);
  const isUnreachable = state.error?.status === 0;
  useEffect(() => {
    if (!isUnreachable) return;
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, [isUnreachable, reload]);
  const set = useCallback((value: T) => setState({ value, error: null, isLoading: false }), []);
  return { ...state, reload, set };
}

/** Runs `task` every `ms` milliseconds while the page is visible, or never if `ms` is `undefined`. */
export function useInterval(ms: number | undefined, task: () => void): void {
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => {
    if (ms === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
