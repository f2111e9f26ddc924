import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import type { PushAnswer } from "../../../adapters/wallets/apple/push-client.js";
import { PushDelivery } from "../../../adapters/wallets/apple/push-delivery.js";
import { WalletWorker } from "../../../adapters/wallets/worker.js";
import { pseudoRandom } from "../../../src/testing/kit/pseudo-random.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { failingAtRandom } from "./failing-at-random.js";
import { SimulatedPhone } from "./phone.js";

export interface Trial {
  readonly seed: number;
  readonly storage: StorageAdapter;
  readonly cards: number;
  /** How many of them each phone has; 2 unless given. */
  readonly cardsOfPhone?: number;
  readonly stamps: number;
  /** Whether Apple, processes and the storage fail on the way. */
  readonly isTroubled: boolean;
}

export interface TrialOutcome {
  /** The pushes that Apple took. */
  readonly pushes: number;
  /** Those of them after which nothing had changed. */
  readonly idle: number;
  /** How many workers died while they were telling phones. */
  readonly deaths: number;
  /** The passes that some phone shows in an old state, at the end. */
  readonly stale: readonly string[];
  /** The passes that some phone has shown in a state that never was. */
  readonly invented: readonly string[];
}

const PROCESSES = 3;

/** A worker that dies while it tells a phone: what it had claimed is never settled. */
class Death extends Error {}

/**
 * Processes that tell phones of stamps, in virtual time: Apple refuses, drops and answers late, processes die in the middle
 * and others come, the storage fails. All of it follows from the seed.
 */
export async function simulate(trial: Trial): Promise<TrialOutcome> {
  const { seed, storage, cards, cardsOfPhone = 2, stamps, isTroubled } = trial;
  const random = pseudoRandom(seed);
  const clock = new ManualClock();
  let inTrouble = false;
  const outcome = { pushes: 0, idle: 0, deaths: 0 };
  const invented = new Set<string>();
  const phones = new Map<string, SimulatedPhone>();

  const main = new LoyaltyService({ storage, clock: clock.read });
  const acme = main.organization("acme");
  const reading = main.walletDesk(500);
  reading.linkBy(() => ({ apple: null, google: null }));

  /** Apple, and the phone behind the token. */
  async function push(pushToken: string): Promise<PushAnswer> {
    const luck = inTrouble ? random(12) : 12;
    if (luck === 0) return { status: 0, reason: "dropped", deadSince: null };
    if (luck === 1) return { status: 503, reason: "ServiceUnavailable", deadSince: null };
    if (luck === 2) return { status: 429, reason: "TooManyRequests", deadSince: null };
    outcome.pushes += 1;
    const changed = (await phones.get(pushToken)?.pushed(reading)) ?? 0;
    if (changed === 0) outcome.idle += 1;
    if (luck === 3) {
      outcome.deaths += 1;
      throw new Death("the process died");
    }
    return { status: 200, reason: "", deadSince: null };
  }

  function newWorker(): WalletWorker {
    const failing = failingAtRandom(storage, () => inTrouble, random);
    const errors = (_error: unknown) => {};
    const desk = new LoyaltyService({ storage: failing, clock: clock.read, onError: errors }).walletDesk(500);
    const delivery = new PushDelivery(
      desk,
      push,
      errors,
      () => {},
      () => random(1_000) / 1_000,
    );
    return new WalletWorker(desk, [delivery]);
  }

  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const passIds: string[] = [];
  const given = new Map<string, number>();
  for (let at = 0; at < cards; at += 1) {
    const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
    await acme.passes.walletLinks(id);
    const owner = Math.floor(at / cardsOfPhone);
    const phone = phones.get(`token-${owner}`) ?? new SimulatedPhone(`phone-${owner}`, `token-${owner}`);
    phones.set(phone.pushToken, phone);
    await phone.add(reading, id);
    passIds.push(id);
    given.set(id, 0);
  }

  const workers = Array.from({ length: PROCESSES }, newWorker);
  inTrouble = isTroubled;
  const stampsAtOnce = Math.max(1, Math.floor(stamps / 200));
  for (let left = stamps; left > 0; left -= stampsAtOnce) {
    for (let at = 0; at < Math.min(left, stampsAtOnce); at += 1) {
      const id = passIds[random(passIds.length)] ?? "";
      await acme.stamps.add(id);
      given.set(id, (given.get(id) ?? 0) + 1);
    }
    clock.move(random(2_000));
    await Promise.all(workers.map((worker) => worker.step()));
    for (const phone of phones.values()) {
      for (const [id, shown] of phone.shown) if (shown > (given.get(id) ?? 0)) invented.add(id);
    }
  }

  // All is well again, and what was left is due within an hour.
  inTrouble = false;
  for (let round = 0; round < 80; round += 1) {
    clock.move(60_000);
    await newWorker().step();
  }
  const stale = [...phones.values()].flatMap(({ shown }) =>
    [...shown].filter(([id, count]) => count !== given.get(id)).map(([id]) => id),
  );
  return { ...outcome, stale, invented: [...invented] };
}
