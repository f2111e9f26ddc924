import { useLayoutEffect } from "preact/hooks";

/** Makes the browser ask for confirmation before the user closes or leaves the page with unsaved work. */
export function useUnsavedWarning(isDirty: boolean): void {
  // A layout effect, so that the warning is removed in the same frame that shows the work as saved.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
