import { useLayoutEffect } from "preact/hooks";

/** While there is unsaved work, makes the browser ask for confirmation before the user closes or leaves the page. */
export function useUnsavedWarning(isDirty: boolean): void {
  // A layout effect, so that the warning is removed in the same frame that shows the work as saved.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
