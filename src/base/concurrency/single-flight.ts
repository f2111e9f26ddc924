/** Deduplicates concurrent calls. While a call is running, other calls with the same key wait for it and share its result. */
export class SingleFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const current = this.underWay.get(key);
    if (current !== undefined) return current;
    const running = call().finally(() => this.underWay.delete(key));
    this.underWay.set(key, running);
    return running;
  }
}
