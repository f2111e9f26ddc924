import { useLayoutEffect } from "preact/hooks";

/** Has the browser ask before it leaves a page with unsaved work. */
export function useUnsavedWarning(isDirty: boolean): void {
  // With the same drawing that says that it was saved, not a frame later: who leaves then has nothing to lose.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
