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

/** What an Enter or Tab ends while the till asks for an amount. */
export type EndOfKeys =
  | { readonly kind: "amount" }
  | {
      readonly kind: "scan";
      readonly text: string;
      /** The amount as it was before the scan, whose digits don't belong to it. */
      readonly amountText: string;
    };

/** Matches keys that a scanner or a fast typist sends for an amount. Longer numbers are the barcodes of products. */
const amountPattern = /^[\d.,]{1,7}$/;

/** Distinguishes a typed amount from scanned codes, which may begin right after the last digit. It must get every key. */
export class AmountKeys {
  private readonly keys = new ScannedKeys();
  /** Combines only keys that follow each other as fast as most scanners send them. */
  private readonly fastKeys = new ScannedKeys();
  private amountBeforeKeys = "";
  private amountBeforeFastKeys = "";

  /** @param isCode returns whether a text is the code of a card. */
  constructor(private readonly isCode: (text: string) => boolean) {}

  /**
   * Processes a key press.
   * @param key the key's name, as in `KeyboardEvent.key`.
   * @param at when the key was pressed, in milliseconds.
   * @param amountText the amount before this key.
   * @returns what ends with this key, or `null` for a key in between or a single Enter or Tab.
   */
  processKey(key: string, at: number, amountText: string): EndOfKeys | null {
    const isFollowing = this.keys.isScanning(at, false);
    if (!isFollowing) this.amountBeforeKeys = amountText;
    if (!this.fastKeys.isScanning(at, true)) this.amountBeforeFastKeys = amountText;
    const text = this.keys.processKey(key, at, false);
    const fastText = this.fastKeys.processKey(key, at, true);
    if (key !== "Enter" && key !== "Tab") return null;
    const slow = { kind: "scan", text: text ?? "", amountText: this.amountBeforeKeys } as const;
    const fast = { kind: "scan", text: fastText ?? "", amountText: this.amountBeforeFastKeys } as const;
    if (this.isCode(slow.text)) return slow;
    if (this.isCode(fast.text)) return fast;
    if (fast.text !== "" && !amountPattern.test(fast.text)) return fast;
    if (/[^\d.,]/.test(slow.text)) return slow;
    return isFollowing ? { kind: "amount" } : null;
  }
}
