/** Tells listeners in this process that an organization has more to be done. */
export class WorkSignal {
  private readonly listeners = new Set<(organizationId: string) => void>();

  /** Listens for commits. It must not throw. @returns a function that ends it. */
  onWork(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tells listeners of a commit. */
  signalWork(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}
