import { useLayoutEffect } from "preact/hooks";

/**
 * Calls `close` when the user presses Escape, clicks or taps outside the element, or moves focus out of it. After Escape, focus goes to
 * the element's first button.
 */
export function useCloseOnLeave(
  isOpen: boolean,
  root: { readonly current: HTMLElement | null },
  close: () => void,
): void {
  // A layout effect, so that even a key pressed right after opening closes the element.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) close();
    };
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      close();
      root.current?.querySelector("button")?.focus();
    };
    addEventListener("keydown", closeOnEscape);
    addEventListener("pointerdown", closeOutside);
    addEventListener("focusin", closeOutside);
    return () => {
      removeEventListener("keydown", closeOnEscape);
      removeEventListener("pointerdown", closeOutside);
      removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
}
