import { Semaphore } from "../../../src/concurrency/semaphore.js";
import type { ErrorListener, WalletOutcome } from "../../../src/index.js";
import { nextAttemptAfter } from "../../../src/wallets/retries.js";
import type { WalletDesk, WalletJob } from "../../../src/wallets/wallet-desk.js";
import type { Deliverer } from "../deliverer.js";
import type { PushAnswer } from "./push-client.js";

/** How many pushes are under way at once. */
const AT_ONCE = 50;

/** What Apple says of a token that will never be good again. */
const deadTokens: readonly string[] = ["BadDeviceToken", "DeviceTokenNotForTopic"];

/** Sends one push. */
export type Push = (pushToken: string) => Promise<PushAnswer>;

type Told = "told" | "again";

/**
 * Tells phones that passes have changed. They throttle pushes for each pass type, and ask for all that changed anyway: so
 * one push goes to each token, for however many passes.
 */
export class PushDelivery implements Deliverer {
  readonly platform = "apple";
  private readonly slots = new Semaphore(AT_ONCE);

  constructor(
    private readonly desk: Pick<WalletDesk, "clock" | "devices">,
    private readonly push: Push,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: () => number = Math.random,
  ) {}

  async deliver(jobs: readonly WalletJob[]): Promise<readonly WalletOutcome[]> {
    const tokens = new Set(
      jobs.flatMap(({ devices }) => devices.flatMap(({ pushToken }) => pushToken ?? [])),
    );
    const told = new Map<string, Told>();
    await Promise.all(
      [...tokens].map((token) => this.slots.run(async () => told.set(token, await this.tell(token)))),
    );
    return jobs.map((job) => this.outcome(job, told));
  }

  private async tell(token: string): Promise<Told> {
    const begun = this.desk.clock();
    const answer = await this.push(token);
    const { status, reason, deadSince } = answer;
    if (status === 200) return "told";
    if (status === 410 || (status === 400 && deadTokens.includes(reason))) {
      await this.desk.devices.endToken("apple", token, deadSince ?? begun);
      return "told";
    }
    if (status === 0 || status === 429 || status >= 500) return "again";
    this.onError(new Error(`Apple's push service refuses a push: ${status} ${reason}`));
    return "told";
  }

  private outcome({ delivery, devices }: WalletJob, told: ReadonlyMap<string, Told>): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    const isTold = (token: string | null) => token === null || told.get(token) === "told";
    const deviceIds = devices.filter(({ pushToken }) => isTold(pushToken)).map(({ deviceId }) => deviceId);
    const nextAttemptAt =
      deviceIds.length === devices.length
        ? null
        : nextAttemptAfter(attempts + 1, this.desk.clock(), 0, this.random());
    return { passId, revision, deviceIds, nextAttemptAt };
  }
}
