import { useLayoutEffect } from "preact/hooks";

/** Makes the browser ask before the user leaves a page with unsaved work. */
export function useUnsavedWarning(isDirty: boolean): void {
  // A layout effect, so that the warning is removed in the same frame that shows the work as saved.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
