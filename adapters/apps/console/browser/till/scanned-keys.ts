/** Maximum time between two keys of a scan into a text field, in milliseconds. People type more slowly. */
const IN_FIELD_MS = 60;

/** Maximum time between two keys of a scan outside text fields, in milliseconds. It is longer because some scanners are slow. */
const ELSEWHERE_MS = 1_000;

/** Minimum number of keys in a scan. A person may have pressed fewer keys before Enter. */
const MIN_KEYS = 4;

/** Distinguishes scanner input from typing. A scanner sends many keys in quick succession, followed by Enter or Tab. */
export class ScannedKeys {
  private text = "";
  private lastKeyAt = Number.NEGATIVE_INFINITY;

  /**
   * Returns whether a key pressed at this time follows the previous key closely enough to be part of the same scan.
   * @param at when the key was pressed, in milliseconds.
   */
  isScanning(at: number, isInField: boolean): boolean {
    return this.text !== "" && at - this.lastKeyAt <= (isInField ? IN_FIELD_MS : ELSEWHERE_MS);
  }

  /**
   * Processes a key press.
   * @param key the key's name, as in `KeyboardEvent.key`.
   * @param at when the key was pressed, in milliseconds.
   * @returns the scanned text if this key completes a scan, otherwise `null`.
   */
  processKey(key: string, at: number, isInField: boolean): string | null {
    if (!this.isScanning(at, isInField)) this.text = "";
    this.lastKeyAt = at;
    if (key.length === 1) this.text += key;
    if (key !== "Enter" && key !== "Tab") return null;
    const scannedText = this.text;
    this.text = "";
    return scannedText.length < MIN_KEYS ? null : scannedText;
  }
}
