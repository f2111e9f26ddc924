/** The most time between two keys of a scanner that types into a text field, in milliseconds: people take longer. */
const IN_FIELD_MS = 60;

/**
 * The longest duration of a scan outside of text fields, such as on a button, in milliseconds, because slow scanners take some
 * time.
 */
const ELSEWHERE_MS = 1_000;

/** Fewer keys before an Enter may be a person's. */
const LEAST = 4;

/** Tells the keys of a scanner from those that people press: many keys, one soon after the other, then Enter or Tab. */
export class ScannedKeys {
  private text = "";
  private last = Number.NEGATIVE_INFINITY;

  /** Returns whether keys came so lately that this one belongs to them. */
  isUnderWay(at: number, isInField: boolean): boolean {
    return this.text !== "" && at - this.last <= (isInField ? IN_FIELD_MS : ELSEWHERE_MS);
  }

  /**
   * @param key as the event of a keyboard names it.
   * @param at the time of the press, in milliseconds.
   * @returns the scanned text when this key ends one; `null` otherwise.
   */
  read(key: string, at: number, isInField: boolean): string | null {
    if (!this.isUnderWay(at, isInField)) this.text = "";
    this.last = at;
    if (key.length === 1) this.text += key;
    if (key !== "Enter" && key !== "Tab") return null;
    const scanned = this.text;
    this.text = "";
    return scanned.length < LEAST ? null : scanned;
  }
}
