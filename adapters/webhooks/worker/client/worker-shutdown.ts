/** The end of a worker, which calls off the attempts that are under way. Any number of them may follow it. */
export class WorkerShutdown {
  #hasCome = false;
  readonly #followers = new Set<() => void>();

  get hasCome(): boolean {
    return this.#hasCome;
  }

  start(): void {
    this.#hasCome = true;
    for (const callOff of this.#followers) callOff();
  }

  /** Calls back on shutdown, immediately if it already began. @returns a function that unsubscribes. */
  onStart(callOff: () => void): () => void {
    if (this.#hasCome) callOff();
    else this.#followers.add(callOff);
    return () => void this.#followers.delete(callOff);
  }
}
