import type { RateWindow } from "../http/index.js";

/** Counts so many requests at once, and tells of the last of them. */
type Count = (key: string, seconds: number, requests: number) => Promise<RateWindow>;

interface Gathering {
  readonly heard: { tell(window: RateWindow): void; fail(error: unknown): void }[];
}

/** Counts together what comes for a key while it is being counted: of a busy key one statement counts many requests. */
export class GatheredCounts {
  private readonly underWay = new Map<string, Gathering>();

  constructor(private readonly count: Count) {}

  /** Counts one request. */
  one(key: string, seconds: number): Promise<RateWindow> {
    const id = `${seconds} ${key}`;
    return new Promise((tell, fail) => {
      const gathering = this.underWay.get(id);
      if (gathering !== undefined) {
        gathering.heard.push({ tell, fail });
        return;
      }
      this.underWay.set(id, { heard: [{ tell, fail }] });
      void this.follow(id, key, seconds);
    });
  }

  /** Never rejects. */
  private async follow(id: string, key: string, seconds: number): Promise<void> {
    for (;;) {
      const heard = this.underWay.get(id)?.heard.splice(0) ?? [];
      if (heard.length === 0) break;
      try {
        const { requests, msLeft } = await this.count(key, seconds, heard.length);
        for (const [at, { tell }] of heard.entries()) {
          tell({ requests: requests - heard.length + 1 + at, msLeft });
        }
      } catch (error) {
        for (const { fail } of heard) fail(error);
      }
    }
    this.underWay.delete(id);
  }
}
