/** Makes changes and remembers how to take them back: what a transaction needs to roll back. */
export class UndoLog {
  private readonly steps: (() => void)[] = [];

  /** Makes a change that `undo` reverts. */
  change(make: () => void, undo: () => void): void {
    make();
    this.steps.push(undo);
  }

  /** Adds an entry. @throws if the key has one: ids are never given twice. */
  add<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    if (map.has(key)) throw new Error(`There is a row ${key} already.`);
    this.set(map, key, value);
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const before = map.get(key);
    map.set(key, value);
    this.steps.push(before === undefined ? () => map.delete(key) : () => map.set(key, before));
  }

  /** Removes an entry. Returns false if there is none. */
  delete<Key, Value>(map: Map<Key, Value>, key: Key): boolean {
    const before = map.get(key);
    if (before === undefined) return false;
    map.delete(key);
    this.steps.push(() => map.set(key, before));
    return true;
  }

  /** Takes back every change, the last one first. */
  rollBack(): void {
    for (let undo = this.steps.pop(); undo !== undefined; undo = this.steps.pop()) undo();
  }
}
