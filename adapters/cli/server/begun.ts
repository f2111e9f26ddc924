/** Ends one thing that was begun. */
type End = () => Promise<unknown> | undefined;

/** What a server has begun so far, so that all of it is ended, however far the start got. */
export class Begun {
  private readonly works: End[] = [];
  private readonly grounds: End[] = [];

  /** @param onError told of what could not be ended; the rest is ended all the same. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Something at work, which is ended with all others at once. */
  work(end: End): void {
    this.works.push(end);
  }

  /** Something that the work, and what is added as this later, stands on: it is ended after them. */
  ground(end: End): void {
    this.grounds.unshift(end);
  }

  async end(): Promise<void> {
    await Promise.all(this.works.map((end) => this.ended(end)));
    for (const end of this.grounds) await this.ended(end);
  }

  private async ended(end: End): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.onError(error);
    }
  }
}
