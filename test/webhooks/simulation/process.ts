import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createWebhookWorker, type WebhookWorker } from "loyalty-kit/webhooks";
import { awaitInStep, runStep } from "../../../src/base/concurrency/step.js";
import { createLoyaltyError } from "../../../src/base/errors.js";
import { promising } from "../../kit/intercept-calls.js";
import type { Network } from "./network.js";
import type { VirtualTime } from "./virtual-time.js";

/** State that processes share. */
export interface World {
  readonly time: VirtualTime;
  readonly storage: SharedStorage;
  readonly network: Network;
  readonly random: (bound: number) => number;
  readonly pollMs: number;
  /** One in this many storage calls by a worker fails; none if it is 0. */
  readonly failingCalls: number;
  readonly onError: (error: unknown) => void;
}

const never = new Promise<never>(() => {});

/** A storage that several processes use, which knows whether any of them is waiting for it. */
export class SharedStorage {
  private underWay = 0;

  constructor(private readonly storage: StorageAdapter) {}

  /** Returns the storage as one process sees it. @param call wraps each call. */
  wrapStorage(call: (run: () => Promise<unknown>) => Promise<unknown>): StorageAdapter {
    return this.wrapCalls(this.storage, call);
  }

  /** Returns the same storage or reader, with each of its calls wrapped. */
  private wrapCalls<T extends object>(
    wrapped: T,
    call: (run: () => Promise<unknown>) => Promise<unknown>,
  ): T {
    return new Proxy(wrapped, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (name === "all" && typeof method === "object" && method !== null)
          return this.wrapCalls(method, call);
        if (typeof method !== "function") return method;
        if (name === "close") return async () => {};
        if (name === "reader")
          return (id: string) => this.wrapCalls<object>(Reflect.apply(method, target, [id]), call);
        const createCall = (proceed: () => Promise<unknown>) =>
          call(async () => {
            this.underWay += 1;
            try {
              return await proceed();
            } finally {
              this.underWay -= 1;
            }
          });
        return promising.has(String(name))
          ? (...args: unknown[]) => createCall(() => Reflect.apply(method, target, args))
          : (...args: unknown[]) =>
              awaitInStep(createCall(() => runStep(Reflect.apply(method, target, args))));
      },
    });
  }

  /** Resolves when no process is waiting for it, and the results of its calls have been processed. */
  readonly quiet = async (): Promise<void> => {
    do {
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    } while (this.underWay > 0);
  };
}

/** A process with a delivery worker, which may die at any moment. */
export class Process {
  private isDead = false;
  private readonly worker: WebhookWorker;

  /** @param onDeath is called when it dies. */
  constructor(
    private readonly world: World,
    private readonly onDeath: () => void,
  ) {
    const { time, storage, network, random, pollMs, onError } = world;
    const loyalty = new LoyaltyService({
      storage: storage.wrapStorage((run) => this.runCall(run)),
      clock: time.clock,
      webhooks: { random: () => random(1_000) / 1_000 },
      onError,
    });
    this.worker = createWebhookWorker(loyalty, {
      send: (request) => this.whileAlive(network.send(request, () => this.die())),
      after: (ms, work) =>
        time.after(ms, () => {
          if (!this.isDead) work();
        }),
      pollMs,
    });
  }

  /**
   * Stops everything that the process began. What it sent or wrote may have arrived, but the process never learns
   * that.
   */
  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.onDeath();
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  /** Delays a storage call before and after it runs. Some calls fail. */
  private async runCall(run: () => Promise<unknown>): Promise<unknown> {
    const { time, random, failingCalls } = this.world;
    await time.pass(random(20));
    if (this.isDead) return never;
    if (failingCalls > 0 && random(failingCalls) === 0) throw createLoyaltyError("storage_unavailable");
    const answer = await this.whileAlive(run());
    await time.pass(random(20));
    return this.isDead ? never : answer;
  }

  private async whileAlive<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      return this.isDead ? never : result;
    } catch (error) {
      if (this.isDead) return never;
      throw error;
    }
  }
}
