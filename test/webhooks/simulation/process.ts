import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createWebhookWorker, type WebhookWorker } from "loyalty-kit/webhooks";
import { awaitInStep, runStep } from "../../../src/base/concurrency/step.js";
import { createLoyaltyError } from "../../../src/base/errors.js";
import { promising } from "../../kit/intercepted.js";
import type { Network } from "./network.js";
import type { VirtualTime } from "./virtual-time.js";

/** What processes share. */
export interface World {
  readonly time: VirtualTime;
  readonly storage: SharedStorage;
  readonly network: Network;
  readonly random: (bound: number) => number;
  readonly pollMs: number;
  /** One call of the storage by a worker in so many fails; none does when it is 0. */
  readonly failingCalls: number;
  readonly onError: (error: unknown) => void;
}

const never = new Promise<never>(() => {});

/** A storage that several processes use, and knows whether any of them waits for it. */
export class SharedStorage {
  private underWay = 0;

  constructor(private readonly storage: StorageAdapter) {}

  /** The storage as one process sees it. @param call stands around each call. */
  wrapStorage(call: (run: () => Promise<unknown>) => Promise<unknown>): StorageAdapter {
    return this.wrapCalls(this.storage, call);
  }

  /** The same storage or reader, with the call around each of its calls. */
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

  /** Resolves when nobody waits for it, and what comes of its answers has come. */
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

  /** @param onDeath told when it dies. */
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

  /** Nothing that it began goes on; what it has sent or written may have arrived, and it never knows. */
  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.onDeath();
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  /** A call of the storage takes its time before and after it is done. */
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
