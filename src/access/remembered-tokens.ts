import { CoalescedCalls } from "../concurrency/coalesced-calls.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";

/** More than are in use at once; what is beyond is looked up each time. */
const MOST = 10_000;

/**
 * Remembers what was found by the hashes of tokens for as long as the storage tells that nothing was committed since, by
 * this process or another one: so what is revoked is looked up again at once. Where the storage can't tell, nothing is
 * remembered; but one look-up answers all who ask before it begins.
 */
export class RememberedTokens<Found> {
  private readonly found = new Map<string, Found>();
  private state: object | null = null;
  private readonly lookUps = new CoalescedCalls<Found | null>();

  constructor(
    private readonly storage: Pick<StorageAdapter, "committedState">,
    private readonly most = MOST,
  ) {}

  /** What was found for a hash, when that still holds. */
  recall(hash: string): Found | null {
    this.look();
    return this.found.get(hash) ?? null;
  }

  /** Looks a hash up, and remembers what is found. Of hashes that are not stored there is no end, so of them nothing. */
  async find(hash: string, lookUp: (hash: string) => Promise<Found | null>): Promise<Found | null> {
    const state = this.look();
    const found = await this.lookUps.run(hash, () => lookUp(hash));
    // Whatever was committed during the look-up changes the state that the next look sees.
    const holds = state !== null && state === this.state;
    if (found !== null && holds && this.found.size < this.most) this.found.set(hash, found);
    return found;
  }

  private look(): object | null {
    const state = this.storage.committedState();
    if (state !== this.state) this.found.clear();
    this.state = state;
    return state;
  }
}
