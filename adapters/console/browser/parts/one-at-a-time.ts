import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Does one thing at a time: what is begun while another goes on is not done. */
export interface OneAtATime {
  readonly isBusy: boolean;
  readonly begin: (act: () => Promise<void>) => Promise<void>;
  /** Whether what began it is still on the screen. */
  readonly isShown: () => boolean;
}

/** For buttons that must not do twice what was pressed twice: a drawing may come later than the second press. */
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
