import { useLayoutEffect, useRef } from "preact/hooks";
import { ScannedKeys } from "./scanned-keys.js";

/**
 * Receives input from barcode scanners that act as keyboards, regardless of where the focus is, even in a dialog. A scanner's Enter
 * doesn't press a button, and its keys don't trigger browser shortcuts. If the focus is in a text field, the scanned text stays
 * there unless `isTaken` returns true for it.
 */
export function useKeyboardScanner(onScan: (text: string) => void, isTaken: (text: string) => boolean): void {
  const latest = useRef({ onScan, isTaken });
  latest.current = { onScan, isTaken };
  // A layout effect, so that even a scan right after the first frame is received completely.
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

/** Removes a scanned code from the end of the field that it was typed into. */
function takeOut(field: HTMLInputElement, scanned: string): void {
  if (!field.value.endsWith(scanned)) return;
  field.value = field.value.slice(0, -scanned.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
