/**
 * Rows in an order that each has one place in. It finds a place without a look at all rows.
 * @typeParam Key what the order goes by: a part of the row.
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

  /** Returns the index at which a row of this key is, or would be inserted. */
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
