/**
 * A token, a function that fetches one, or `null` if `fetch` itself authenticates requests, for example with a cookie. The function
 * is called with `null` before the client's first request, and later with each token that the service rejects.
 */
export type ClientToken = string | null | ((refused: string | null) => string | Promise<string>);

/** Provides the client's token, fetching it if necessary. Concurrent calls share a single fetch. */
export class TokenSource {
  private pending: Promise<string> | null = null;

  constructor(private readonly token: ClientToken) {}

  current(): Promise<string | null> {
    const { token } = this;
    if (typeof token !== "function") return Promise.resolve(token);
    this.pending ??= this.fetch(token, null);
    return this.pending;
  }

  /**
   * Replaces a token that the service has rejected.
   * @returns `false` if no other token is available, or `true` otherwise.
   */
  async refresh(refusedToken: string): Promise<boolean> {
    const { token } = this;
    if (typeof token !== "function") return false;
    const previous = this.pending;
    if ((await previous) !== refusedToken) return true;
    // The first waiting call to resume fetches a new token for all of them.
    if (this.pending === previous) this.pending = this.fetch(token, refusedToken);
    return (await this.pending) !== refusedToken;
  }

  private fetch(
    token: (refusedToken: string | null) => string | Promise<string>,
    refusedToken: string | null,
  ) {
    const fetching = Promise.resolve(refusedToken).then(token);
    fetching.catch(() => {
      if (this.pending === fetching) this.pending = null;
    });
    return fetching;
  }
}
