/**
 * A token, a function that fetches one, or `null` if `fetch` authenticates by itself, for example with a cookie. The function is
 * called before the first call, and again with each token that the service has refused.
 */
export type ClientToken = string | null | ((refused: string | null) => string | Promise<string>);

/** The token of a client. Calls at the same time share one that is being fetched. */
export class TokenSource {
  private fetched: Promise<string> | null = null;

  constructor(private readonly token: ClientToken) {}

  current(): Promise<string | null> {
    const { token } = this;
    if (typeof token !== "function") return Promise.resolve(token);
    this.fetched ??= this.fetch(token, null);
    return this.fetched;
  }

  /** Makes another token the current one. @returns false if there is none but the refused one. */
  async refresh(refused: string): Promise<boolean> {
    const { token } = this;
    if (typeof token !== "function") return false;
    const before = this.fetched;
    if ((await before) !== refused) return true;
    // The first call that resumes fetches another token for all that waited.
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
