/** Signals to listeners in this process that an organization has work to do. */
export class WorkSignal {
  private readonly listeners = new Set<(organizationId: string) => void>();

  /**
   * Listens for new work. The listener must not throw.
   * @returns a function that ends the subscription.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Notifies listeners of new work. */
  signalWork(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}
