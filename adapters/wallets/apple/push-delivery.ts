import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import type { ErrorListener, WalletOutcome } from "../../../src/index.js";
import { nextAttempt, type RandomSource } from "../../../src/jobs/retries.js";
import { WALLET_RETRIES, type WalletBackend, type WalletJob } from "../../../src/wallets/wallet-backend.js";
import type { Deliverer } from "../deliverer.js";
import type { PushResponse } from "./push-client.js";

/** The most pushes that are under way, and the part of those that others leave which one organization may have. */
const AT_ONCE = 50;
const SHARE = 0.75;

/** Apple's words for a token that will never be good again. */
const deadTokens: readonly string[] = ["BadDeviceToken", "DeviceTokenNotForTopic"];

/** Sends one push. */
export type Push = (pushToken: string) => Promise<PushResponse>;

type Told = "told" | "again";

/**
 * Tells phones that passes have changed. They throttle pushes for each pass type, and ask for all that changed anyway: so
 * one push goes to each token, for however many passes.
 */
export class PushDelivery implements Deliverer {
  readonly platform = "apple";
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE);

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "devices">,
    private readonly push: Push,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: RandomSource = Math.random,
  ) {}

  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[] {
    const telling = new Map<string, Promise<Told>>();
    const tell = (organizationId: string, token: string) => {
      const told = telling.get(token) ?? this.slots.run(organizationId, () => this.tell(token));
      telling.set(token, told);
      return told;
    };
    return jobs.map(async (job) => {
      const told = await Promise.all(
        job.devices.map(({ pushToken }) => pushToken && tell(job.organizationId, pushToken)),
      );
      return this.outcome(
        job,
        job.devices.filter((_, at) => told[at] !== "again"),
      );
    });
  }

  private async tell(token: string): Promise<Told> {
    const begun = this.backend.clock();
    const answer = await this.push(token);
    const { status, reason, deadSince } = answer;
    if (status === 200) return "told";
    if (status === 410 || (status === 400 && deadTokens.includes(reason))) {
      await this.backend.devices.endToken("apple", token, deadSince ?? begun);
      return "told";
    }
    if (status === 0 || status === 429 || status >= 500) return "again";
    this.onError(new Error(`Apple's push service refuses a push: ${status} ${reason}`));
    return "told";
  }

  private outcome({ delivery, devices }: WalletJob, told: WalletJob["devices"]): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    const deviceIds = told.map(({ deviceId }) => deviceId);
    const nextAttemptAt =
      told.length === devices.length
        ? null
        : nextAttempt(WALLET_RETRIES, attempts + 1, this.backend.clock(), 0, this.random);
    return { passId, revision, deviceIds, nextAttemptAt };
  }
}
