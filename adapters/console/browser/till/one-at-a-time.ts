import { useCallback, useEffect, useRef, useState } from "preact/hooks";

interface OneAtATime {
  readonly isBusy: boolean;
  /** Does something, unless something else is still going on. */
  readonly begin: (act: () => Promise<void>) => Promise<void>;
  /** Returns whether the component is still on the screen. */
  readonly isShown: () => boolean;
}

/** Keeps a button from doing twice what is pressed twice: a drawing may come later than the second press. */
export function useOneAtATime(): OneAtATime {
  const [isBusy, setBusy] = useState(false);
  const now = useRef({ isBusy: false, isShown: true });
  useEffect(
    () => () => {
      now.current.isShown = false;
    },
    [],
  );
  const begin = useCallback(async (act: () => Promise<void>) => {
    if (now.current.isBusy) return;
    now.current.isBusy = true;
    setBusy(true);
    try {
      await act();
    } finally {
      now.current.isBusy = false;
      setBusy(false);
    }
  }, []);
  return { isBusy, begin, isShown: () => now.current.isShown };
}
