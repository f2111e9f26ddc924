/** Notifies listeners in this process when an organization has work to do. */
export class WorkSignal {
  private readonly listeners = new Set<(organizationId: string) => void>();

  /**
   * Adds a listener. Listeners must not throw.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Notifies the listeners that an organization has work to do. */
  signalWork(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }
}
