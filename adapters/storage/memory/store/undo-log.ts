/** Makes changes and records how to undo them, so that a transaction can be rolled back. */
export class UndoLog {
  private readonly steps: (() => void)[] = [];

  /** Calls `make` to make a change, and records `undo` to be called on rollback. */
  change(make: () => void, undo: () => void): void {
    make();
    this.steps.push(undo);
  }

  /**
   * Adds an entry to a map.
   * @throws if the map already contains the key, which would mean that an ID has been reused.
   */
  add<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    if (map.has(key)) throw new Error(`A row with the key ${key} already exists.`);
    this.set(map, key, value);
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const previous = map.get(key);
    map.set(key, value);
    this.steps.push(previous === undefined ? () => map.delete(key) : () => map.set(key, previous));
  }

  /**
   * Removes an entry from a map.
   * @returns whether the entry existed.
   */
  delete<Key, Value>(map: Map<Key, Value>, key: Key): boolean {
    const previous = map.get(key);
    if (previous === undefined) return false;
    map.delete(key);
    this.steps.push(() => map.set(key, previous));
    return true;
  }

  /** Undoes all recorded changes, most recent first. */
  rollBack(): void {
    for (let undo = this.steps.pop(); undo !== undefined; undo = this.steps.pop()) undo();
  }
}
