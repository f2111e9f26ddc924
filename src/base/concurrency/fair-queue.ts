/** A queue in which keys take turns. Items with the same key leave in order of arrival. */
export class FairQueue<Item> {
  /** The queued items by key, starting with the key whose turn is next. */
  readonly #queues = new Map<string, Set<Item>>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** Number of all queued items. */
  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  /** Returns the number of queued items with this key. */
  count(key: string): number {
    return this.#queues.get(key)?.size ?? 0;
  }

  add(key: string, item: Item): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, new Set([item]));
    else queue.add(item);
  }

  remove(key: string, item: Item): void {
    const queue = this.#queues.get(key);
    queue?.delete(item);
    if (queue?.size === 0) this.#queues.delete(key);
  }

  /**
   * Removes the next item. Its key then waits until all other keys have had a turn.
   * @param mayLeave skips a key if it returns false for the key's first item.
   * @returns the item, or `undefined` if no item may leave.
   */
  take(mayLeave: (item: Item, key: string) => boolean = () => true): Item | undefined {
    for (const [key, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !mayLeave(first, key)) continue;
      queue.delete(first);
      // A map keeps insertion order, so the key moves to the end.
      this.#queues.delete(key);
      if (queue.size > 0) this.#queues.set(key, queue);
      return first;
    }
    return undefined;
  }
}
