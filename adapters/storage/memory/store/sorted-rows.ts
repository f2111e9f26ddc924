/**
 * Keeps rows sorted and finds them by binary search. No two rows can have equal sort keys.
 * @typeParam Key the part of the row that determines its position.
 */
export class SortedRows<Key, Row extends Key> {
  private readonly rows: Row[] = [];

  constructor(private readonly compare: (a: Key, b: Key) => number) {}

  get inOrder(): readonly Row[] {
    return this.rows;
  }

  add(row: Row): void {
    this.rows.splice(this.countBefore(row), 0, row);
  }

  remove(row: Row): void {
    this.rows.splice(this.countBefore(row), 1);
  }

  /**
   * Returns how many rows come before the given key. If a row has this key, the result is its index. Otherwise, it is the index at
   * which to insert such a row.
   */
  countBefore(key: Key): number {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rows[middle];
      if (row !== undefined && this.compare(row, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
