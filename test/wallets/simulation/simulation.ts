import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { PushDelivery } from "../../../adapters/delivery/wallets/apple/apple-wallet.js";
import type { PushResponse } from "../../../adapters/delivery/wallets/apple/identity.js";
import type { CallGoogle } from "../../../adapters/delivery/wallets/google/api-client.js";
import { CardDelivery } from "../../../adapters/delivery/wallets/google/card-delivery.js";
import { CardUpdater } from "../../../adapters/delivery/wallets/google/card-updater.js";
import { CardWriter } from "../../../adapters/delivery/wallets/google/card-writer.js";
import { Reconciliation } from "../../../adapters/delivery/wallets/google/reconciliation.js";
import { WalletWorker } from "../../../adapters/delivery/wallets/worker.js";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { serviceInternals } from "../../../src/internals.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { EndedDeliveries } from "./ended-deliveries.js";
import { failAtRandom } from "./fail-at-random.js";
import { type GoogleLuck, SimulatedGoogle } from "./google.js";
import { isInOrder, parseNumbers, SimulatedNews } from "./news.js";
import { SimulatedPhone } from "./phone.js";
import { Death, urls } from "./trouble.js";

export interface Trial {
  readonly seed: number;
  readonly storage: StorageAdapter;
  readonly cards: number;
  /** Cards per phone. Default: 2. */
  readonly cardsOfPhone?: number;
  readonly stamps: number;
  /** Number of messages between the stamps, each for about a third of the cards. Default: none. */
  readonly messages?: number;
  /** Whether Apple, Google, processes and the storage fail along the way. */
  readonly isTroubled: boolean;
}

export interface TrialOutcome {
  /** Pushes that Apple accepted. */
  readonly pushes: number;
  /** Card writes at Google. */
  readonly writes: number;
  /** Pushes after which nothing had changed. */
  readonly idle: number;
  /** Number of workers that died while they notified phones or Google. */
  readonly deaths: number;
  /** Passes that some phone or Google shows in an old state, at the end. */
  readonly stale: readonly string[];
  /** Passes that some phone or Google has shown in a state that never existed. */
  readonly invented: readonly string[];
  /** Passes on which some phone shows, at the end, a message that isn't the newest, or one that is over. */
  readonly wrongNews: readonly string[];
  /**
   * Passes for which some phone announced a message twice, an older one after a newer one, or only that they changed.
   */
  readonly toldWrong: readonly string[];
  /** Number of messages that phones announced. */
  readonly told: number;
}

const PROCESSES = 3;

/**
 * Simulates, in virtual time, processes that deliver stamps to phones and Google. Apple and Google refuse, drop and
 * lose responses. Processes die in the middle and others take over, and the storage fails. All of it follows from the
 * seed.
 */
export async function simulate(trial: Trial): Promise<TrialOutcome> {
  const { seed, storage, cards, cardsOfPhone = 2, stamps, messages = 0, isTroubled } = trial;
  const random = pseudoRandom(seed);
  const clock = new ManualClock();
  let inTrouble = false;
  const outcome = { pushes: 0, idle: 0, deaths: 0 };
  const invented = new Set<string>();
  const phones = new Map<string, SimulatedPhone>();

  const main = new LoyaltyService({ storage, clock: clock.read });
  const acme = main.organization("acme");
  const reading = serviceInternals(main).createWalletBackend(500);
  reading.attachLinker(() => ({ apple: null, google: null }));

  /** Acts as Apple, and as the phone behind the token. */
  async function push(pushToken: string): Promise<PushResponse> {
    const luck = inTrouble ? random(12) : 12;
    if (luck === 0) return { status: 0, reason: "dropped", deadSince: null };
    if (luck === 1) return { status: 503, reason: "ServiceUnavailable", deadSince: null };
    if (luck === 2) return { status: 429, reason: "TooManyRequests", deadSince: null };
    outcome.pushes += 1;
    if ((await phones.get(pushToken)?.handlePush(reading)) === 0) outcome.idle += 1;
    if (luck === 3) {
      outcome.deaths += 1;
      throw new Death("the process died");
    }
    return { status: 200, reason: "", deadSince: null };
  }

  const google = new SimulatedGoogle(clock.read, (): GoogleLuck => {
    const lucks: readonly GoogleLuck[] = ["refused", "throttled", "dropped", "lost"];
    return (inTrouble ? lucks[random(16)] : undefined) ?? "taken";
  });

  function createWriter(): CardWriter {
    const call: CallGoogle = async (...args) => {
      const answer = await google.call(...args);
      if (!inTrouble || random(12) > 0) return answer;
      outcome.deaths += 1;
      throw new Death("the process died");
    };
    return new CardWriter(call, google.issuer, urls, clock.read);
  }

  function createWorker(): WalletWorker {
    const failing = failAtRandom(storage, () => inTrouble, random);
    const ignoreError = (_error: unknown) => {};
    const backend = serviceInternals(
      new LoyaltyService({
        storage: failing,
        clock: clock.read,
        onError: ignoreError,
      }),
    ).createWalletBackend(500);
    const delivery = new PushDelivery(
      backend,
      push,
      ignoreError,
      () => {},
      () => random(1_000) / 1_000,
    );
    const cards = new CardDelivery(
      backend,
      new CardUpdater(createWriter(), backend.notices, clock.read),
      new Reconciliation(backend, { read: (id) => google.call("GET", id) }, ignoreError),
      new EndedDeliveries().wrapStorage(failing),
      ignoreError,
      () => {},
      () => random(1_000) / 1_000,
    );
    return new WalletWorker(backend, [delivery, cards]);
  }

  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const writer = createWriter();
  const passIds: string[] = [];
  const stampsByPass = new Map<string, number>();
  for (let at = 0; at < cards; at += 1) {
    const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
    await acme.passes.walletLinks(id);
    const owner = Math.floor(at / cardsOfPhone);
    const phone = phones.get(`token-${owner}`) ?? new SimulatedPhone(`phone-${owner}`, `token-${owner}`);
    phones.set(phone.pushToken, phone);
    await phone.add(reading, id);
    const issuedCard = await reading.card(id);
    if (issuedCard !== null) await writer.insert(issuedCard);
    await reading.google.recordAtGoogle("acme", id, 0);
    passIds.push(id);
    stampsByPass.set(id, 0);
  }

  google.writes = 0;
  const workers = Array.from({ length: PROCESSES }, createWorker);
  inTrouble = isTroubled;
  const stampsAtOnce = Math.max(1, Math.floor(stamps / 200));
  const news = new SimulatedNews(storage, clock.read, random);
  for (let remaining = stamps; remaining > 0; remaining -= stampsAtOnce) {
    if (messages > 0) {
      if (random(stamps) < messages * stampsAtOnce) await news.sendNews(template.id, passIds);
      await news.removeNews();
      for (const phone of phones.values()) {
        if (phone.isAway && random(5) === 0) await phone.goOnline(reading);
        else if (isTroubled && random(40) === 0) phone.isAway = true;
      }
    }
    for (let at = 0; at < Math.min(remaining, stampsAtOnce); at += 1) {
      const id = passIds[random(passIds.length)] ?? "";
      await acme.stamps.add(id);
      stampsByPass.set(id, (stampsByPass.get(id) ?? 0) + 1);
    }
    clock.move(random(2_000));
    await Promise.all(workers.map((worker) => worker.runOnce()));
    for (const { shown } of [...phones.values(), google]) {
      for (const [id, count] of shown) if (count > (stampsByPass.get(id) ?? 0)) invented.add(id);
    }
  }

  // Everything works again, and what was left is due within an hour.
  inTrouble = false;
  for (const phone of phones.values()) await phone.goOnline(reading);
  for (let round = 0; round < 80; round += 1) {
    clock.move(60_000);
    await news.removeNews();
    await createWorker().runOnce();
  }
  const isStale = ([id, count]: readonly [string, number]) => count !== stampsByPass.get(id);
  const shownStamps = [...[...phones.values()].flatMap((phone) => [...phone.shown]), ...google.shown];
  const stale = [...new Set(shownStamps.filter(isStale).map(([id]) => id))];
  const each = [...phones.values()];
  const numbers = each
    .flatMap(({ told }) => [...told])
    .map(([id, texts]) => [id, parseNumbers(texts)] as const);
  const disordered = numbers.filter(([, told]) => !isInOrder(told)).map(([id]) => id);
  return {
    ...outcome,
    writes: google.writes,
    stale,
    invented: [...invented, ...google.backwards],
    wrongNews: each.flatMap((phone) => news.findFaults(phone, stampsByPass)),
    toldWrong: [...disordered, ...each.flatMap((phone) => phone.toldInGeneral)],
    told: numbers.reduce((sum, [, told]) => sum + told.length, 0),
  };
}
