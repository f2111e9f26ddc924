import { useLayoutEffect, useRef } from "preact/hooks";
import { ScannedKeys } from "./scanned-keys.js";

/**
 * Hears what a scanner types, wherever the focus is, in a dialog too: its Enter presses no button, and its keys are no
 * shortcuts of the browser. What a field gets stays there unless `isTaken` says that it is a code.
 */
export function useKeyboardScanner(onScan: (text: string) => void, isTaken: (text: string) => boolean): void {
  const latest = useRef({ onScan, isTaken });
  latest.current = { onScan, isTaken };
  // In the first frame, so that an immediate scan has all its keys.
  useLayoutEffect(() => {
    const keys = new ScannedKeys();
    const hear = (event: KeyboardEvent) => {
      const { key, target, timeStamp } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
      const isInField = target instanceof HTMLInputElement;
      const isPress = key === " " && !keys.isUnderWay(timeStamp, isInField);
      const scanned = keys.read(key, timeStamp, isInField);
      const isOurs = isInField
        ? scanned !== null && latest.current.isTaken(scanned)
        : key.length === 1 && !isPress;
      if (isOurs || (scanned !== null && !isInField)) event.preventDefault();
      if (scanned === null || (isInField && !isOurs)) return;
      if (isInField) takeOut(target, scanned);
      latest.current.onScan(scanned);
    };
    document.addEventListener("keydown", hear, true);
    return () => document.removeEventListener("keydown", hear, true);
  }, []);
}

/** Takes a code out of a field that it was typed into after something else. */
function takeOut(field: HTMLInputElement, scanned: string): void {
  if (!field.value.endsWith(scanned)) return;
  field.value = field.value.slice(0, -scanned.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
