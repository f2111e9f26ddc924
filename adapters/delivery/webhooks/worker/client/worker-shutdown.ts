/** A worker's shutdown signal. In-flight attempts subscribe to it so that they can be canceled. */
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

  /**
   * Calls `callOff` when the shutdown starts, or immediately if it has already started.
   * @returns a function that unsubscribes `callOff`.
   */
  onStart(callOff: () => void): () => void {
    if (this.#hasCome) callOff();
    else this.#followers.add(callOff);
    return () => void this.#followers.delete(callOff);
  }
}
