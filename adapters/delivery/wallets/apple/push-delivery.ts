import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import { nextAttempt, type RandomSource } from "../../../../src/kernel/retries.js";
import type { WalletOutcome } from "../../../../src/storage/wallets.js";
import type { WalletBackend, WalletJob } from "../../../../src/wallets/wallet-backend.js";
import { type Deliverer, WALLET_RETRIES } from "../deliverer.js";
import type { SendPush } from "./identity.js";

/** Maximum number of pushes in flight, and an organization's share of the free slots. */
const AT_ONCE = 50;
const SHARE = 0.75;

/** Reasons with which Apple permanently rejects a push token. */
const deadTokens: readonly string[] = ["BadDeviceToken", "DeviceTokenNotForTopic"];

type PushResult = "settled" | "again";

/**
 * Sends pushes to phones whose passes have changed. Each push token receives a single push, no matter how many of its passes
 * changed. Phones throttle pushes per pass type, and any phone that receives a push requests all of its changed passes anyway.
 */
export class PushDelivery implements Deliverer {
  readonly platform = "apple";
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE);

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "devices">,
    private readonly push: SendPush,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: RandomSource = Math.random,
  ) {}

  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[] {
    const pushes = new Map<string, Promise<PushResult>>();
    const pushOnce = (organizationId: string, token: string) => {
      const result = pushes.get(token) ?? this.slots.run(organizationId, () => this.send(token));
      pushes.set(token, result);
      return result;
    };
    return jobs.map(async (job) => {
      const results = await Promise.all(
        job.devices.map(({ pushToken }) => pushToken && pushOnce(job.organizationId, pushToken)),
      );
      return this.outcome(
        job,
        job.devices.filter((_, at) => results[at] !== "again"),
      );
    });
  }

  private async send(token: string): Promise<PushResult> {
    const begun = this.backend.clock();
    const { status, reason, deadSince } = await this.push(token);
    if (status === 200) return "settled";
    if (status === 410 || (status === 400 && deadTokens.includes(reason))) {
      const isDead = await this.backend.devices.invalidatePushToken("apple", token, deadSince ?? begun);
      return isDead ? "settled" : "again";
    }
    if (status === 0 || status === 429 || status >= 500) return "again";
    this.onError(new Error(`Apple's push service refuses a push: ${status} ${reason}`));
    return "settled";
  }

  private outcome({ delivery, devices }: WalletJob, settled: WalletJob["devices"]): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    const deviceIds = settled.map(({ deviceId }) => deviceId);
    const nextAttemptAt =
      settled.length === devices.length
        ? null
        : nextAttempt(WALLET_RETRIES, attempts + 1, this.backend.clock(), 0, this.random);
    return { passId, revision, deviceIds, nextAttemptAt };
  }
}
