import { Semaphore } from "../../src/concurrency/semaphore.js";
import type { WalletOutcome, WalletPlatform } from "../../src/index.js";
import type { WalletDesk } from "../../src/wallets/wallet-desk.js";
import type { Deliverer } from "./deliverer.js";
import { endedOf } from "./ended-outcomes.js";

/** How many organizations are looked for at once, and served at once. */
const LOOKED_FOR = 200;
const SERVED_AT_ONCE = 4;

/** How many deliveries of an organization are under way at one platform. */
const CLAIMED = 100;

/** How long nothing may come of a claim until the next one is made beside it, in milliseconds. */
const STALL_MS = 500;

/** The least time between two looks, in milliseconds. */
const MIN_PAUSE_MS = 50;

/** The longest pause while the storage fails. */
const MAX_PAUSE_MS = 30_000;

interface Telling {
  readonly under: Map<string, Promise<boolean>>;
  readonly slots: Semaphore;
  /** By organization, those that take long: they hold up no others. */
  readonly late: Map<string, Set<Promise<boolean>>>;
}

/** Brings changes to cards, and tells wallets of them, until it is closed. */
export class WalletWorker {
  private isClosing = false;
  private isStirred = false;
  private wake: (() => void) | null = null;
  private looking: Promise<void> = Promise.resolve();
  private readonly slots = new Semaphore(SERVED_AT_ONCE);
  /** Of each platform, the organizations that are being told of. */
  private readonly telling: ReadonlyMap<Deliverer, Telling>;
  /** The end of what is being done to the queue of an organization, in this process. */
  private readonly atQueue = new Map<string, Promise<void>>();
  private stopListening: () => void = () => {};

  constructor(
    private readonly desk: WalletDesk,
    private readonly deliverers: readonly Deliverer[],
  ) {
    this.telling = new Map(
      deliverers.map((each) => [
        each,
        { under: new Map(), slots: new Semaphore(SERVED_AT_ONCE), late: new Map() },
      ]),
    );
  }

  /** @param pollMs how often to look for what other processes did and what is due again. */
  start(pollMs: number): void {
    this.stopListening = this.desk.onGrowth(() => this.stir());
    this.looking = this.lookAgainAndAgain(pollMs);
  }

  /** Begins nothing more. Resolves when what is under way is settled. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.stopListening();
    this.wake?.();
    for (const deliverer of this.deliverers) deliverer.stop?.();
    await this.looking;
    await this.ended();
    for (const deliverer of this.deliverers) deliverer.close();
  }

  /** Does all there is to do now. @returns false when the storage failed. */
  async step(): Promise<boolean> {
    const isWell = await this.look();
    const told = await this.ended();
    return isWell && !told.includes(false);
  }

  /** Brings events to cards, and begins to tell of them: a wallet that is slow holds up no other one. */
  private async look(): Promise<boolean> {
    try {
      const organizations = await this.desk.queuesToServe(LOOKED_FOR);
      await Promise.all(organizations.map((id) => this.slots.run(() => this.serve(id))));
      return true;
    } catch (error) {
      this.desk.onError(error);
      return false;
    }
  }

  private async serve(organizationId: string): Promise<void> {
    while (!this.isClosing && (await this.alone(organizationId, () => this.desk.follow(organizationId))));
    // Once in each step, so that a new design of many cards goes out at a measured pace.
    await this.alone(organizationId, () => this.desk.sweep(organizationId));
    for (const [deliverer, { under, slots, late }] of this.telling) {
      if (under.has(organizationId)) continue;
      const telling = slots.run(() => this.tell(organizationId, deliverer, late));
      under.set(
        organizationId,
        telling.finally(() => under.delete(organizationId)),
      );
    }
  }

  /** @returns false when the storage or the deliverer failed. */
  private async tell(organizationId: string, deliverer: Deliverer, late: Telling["late"]): Promise<boolean> {
    const { platform } = deliverer;
    try {
      while (!this.isClosing) {
        const room = CLAIMED - (late.get(organizationId)?.size ?? 0);
        if (room === 0) return true;
        const jobs = await this.alone(organizationId, () => this.desk.claim(organizationId, platform, room));
        const [first] = jobs;
        if (first === undefined) return true;
        const { ended, others } = await endedOf(deliverer.deliver(jobs), STALL_MS);
        for (const other of others) this.waitFor(other, organizationId, platform, first.lease, late);
        await this.settle(organizationId, platform, first.lease, ended);
        if (jobs.length < room) return true;
      }
      return true;
    } catch (error) {
      this.desk.onError(error);
      return false;
    }
  }

  /** Settles what takes long when it ends. */
  private waitFor(
    outcome: Promise<WalletOutcome>,
    organizationId: string,
    platform: WalletPlatform,
    lease: string,
    late: Telling["late"],
  ): void {
    const others = late.get(organizationId) ?? new Set();
    late.set(organizationId, others);
    const settled = outcome
      .then((each) => this.settle(organizationId, platform, lease, [each]))
      .then(
        () => true,
        (error: unknown) => {
          this.desk.onError(error);
          return false;
        },
      )
      .finally(() => {
        others.delete(settled);
        if (others.size === 0 && late.get(organizationId) === others) late.delete(organizationId);
      });
    others.add(settled);
  }

  private settle(
    organizationId: string,
    platform: WalletPlatform,
    lease: string,
    outcomes: readonly WalletOutcome[],
  ): Promise<void> {
    return this.alone(organizationId, () => this.desk.settle(organizationId, platform, lease, outcomes));
  }

  /** Works on a queue one after the other: who finds it locked leaves it to whoever has it. */
  private alone<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.atQueue.get(organizationId) ?? Promise.resolve();
    const result = before.then(work);
    const end = result.then(
      () => {},
      () => {},
    );
    this.atQueue.set(organizationId, end);
    void end.then(() => {
      if (this.atQueue.get(organizationId) === end) this.atQueue.delete(organizationId);
    });
    return result;
  }

  /** Resolves when nothing is under way: what is may leave some behind that take long. */
  private async ended(): Promise<boolean[]> {
    const told: boolean[] = [];
    for (let all = this.underWay(); all.length > 0; all = this.underWay())
      told.push(...(await Promise.all(all)));
    return told;
  }

  private underWay(): Promise<boolean>[] {
    return [...this.telling.values()].flatMap(({ under, late }) => [
      ...under.values(),
      ...[...late.values()].flatMap((each) => [...each]),
    ]);
  }

  private stir(): void {
    this.isStirred = true;
    this.wake?.();
  }

  private async lookAgainAndAgain(pollMs: number): Promise<void> {
    for (let failures = 0; !this.isClosing; ) {
      this.isStirred = false;
      failures = (await this.look()) ? 0 : failures + 1;
      await this.rest(MIN_PAUSE_MS, false);
      if (failures > 0) await this.rest(Math.min(MAX_PAUSE_MS, 1_000 * 2 ** failures), false);
      else if (!this.isStirred) await this.rest(pollMs, true);
    }
  }

  /** @param isWaking whether a change ends it; closing always does. */
  private async rest(ms: number, isWaking: boolean): Promise<void> {
    if (this.isClosing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        if (!isWaking && !this.isClosing) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}
