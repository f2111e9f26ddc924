/**
 * A token, a function that fetches one, or `null` if `fetch` itself authenticates requests, for example with a cookie. The function
 * is called with `null` before the client's first request, and later with each token that the service rejects.
 */
export type ClientToken = string | null | ((refused: string | null) => string | Promise<string>);

/** Provides the client's token, fetching it if necessary. Concurrent calls share a single fetch. */
export class TokenSource {
  private fetched: Promise<string> | null = null;

  constructor(private readonly token: ClientToken) {}

  current(): Promise<string | null> {
    const { token } = this;
    if (typeof token !== "function") return Promise.resolve(token);
    this.fetched ??= this.fetch(token, null);
    return this.fetched;
  }

  /**
   * Replaces a token that the service has rejected.
   * @returns `false` if no other token is available, or `true` otherwise.
   */
  async refresh(refused: string): Promise<boolean> {
    const { token } = this;
    if (typeof token !== "function") return false;
    const before = this.fetched;
    if ((await before) !== refused) return true;
    // The first waiting call to resume fetches a new token for all of them.
    if (this.fetched === before) this.fetched = this.fetch(token, refused);
    return (await this.fetched) !== refused;
  }

  private fetch(token: (refused: string | null) => string | Promise<string>, refused: string | null) {
    const fetching = Promise.resolve(refused).then(token);
    fetching.catch(() => {
      if (this.fetched === fetching) this.fetched = null;
    });
    return fetching;
  }
}
