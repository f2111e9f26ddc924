import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import type { CallGoogle } from "../../../adapters/delivery/wallets/google/api-client.js";
import { CardDelivery } from "../../../adapters/delivery/wallets/google/card-delivery.js";
import { CardUpdater } from "../../../adapters/delivery/wallets/google/card-updater.js";
import { CardWriter } from "../../../adapters/delivery/wallets/google/card-writer.js";
import { GOOGLE_DEVICE, Reconciliation } from "../../../adapters/delivery/wallets/google/reconciliation.js";
import { WalletWorker } from "../../../adapters/delivery/wallets/worker.js";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { SomeMessages } from "../some-message.js";
import { EndedDeliveries } from "./ended-deliveries.js";
import { failAtRandom } from "./fail-at-random.js";
import { type GoogleLuck, SimulatedGoogle } from "./google.js";
import { Death, urls } from "./trouble.js";

export interface MessageTrial {
  readonly seed: number;
  readonly storage: StorageAdapter;
  readonly cards: number;
  readonly rounds: number;
  /** Whether Google, processes and the storage fail along the way. */
  readonly isTroubled: boolean;
}

/** Errors, each with its pass, at the end or at some time before, and counts that show how much the trial covered. */
export interface MessageTrialOutcome {
  readonly wrong: readonly string[];
  readonly accepted: number;
  readonly silent: number;
  readonly replaced: number;
  readonly missing: number;
  readonly deaths: number;
  /** Calls that were made to Google. */
  readonly calls: number;
}

const PROCESSES = 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Simulates, in virtual time, a shop that writes to its customers on their cards at Google and gives them stamps at the
 * same time. Google refuses, throttles and drops calls, loses responses and executes calls late. Processes die in the
 * middle and others take over, and the storage fails. All of it follows from the seed.
 */
export async function simulateMessages(trial: MessageTrial): Promise<MessageTrialOutcome> {
  const { seed, storage, cards, rounds, isTroubled } = trial;
  const random = pseudoRandom(seed);
  const clock = new ManualClock();
  let inTrouble = false;
  const counts = { deaths: 0, calls: 0, replaced: 0 };
  const wrong = new Set<string>();

  const main = new LoyaltyService({ storage, clock: clock.read });
  const acme = main.organization("acme");
  const reading = serviceInternals(main).createWalletBackend(500);
  reading.attachLinker(() => ({ apple: null, google: null }));
  const endedDeliveries = new EndedDeliveries();
  const google = new SimulatedGoogle(clock.read, (): GoogleLuck => {
    const lucks: readonly GoogleLuck[] = ["refused", "throttled", "dropped", "lost", "lost", "late", "late"];
    return (inTrouble ? lucks[random(20)] : undefined) ?? "taken";
  });

  function createWriter(): CardWriter {
    const call: CallGoogle = async (...args) => {
      counts.calls += 1;
      const answer = await google.call(...args);
      if (!inTrouble || random(15) > 0) return answer;
      counts.deaths += 1;
      throw new Death("the process died");
    };
    return new CardWriter(call, google.issuer, urls, clock.read);
  }

  function createWorker(): WalletWorker {
    const failing = failAtRandom(storage, () => inTrouble, random);
    const ignoreError = (_error: unknown) => {};
    const service = new LoyaltyService({ storage: failing, clock: clock.read, onError: ignoreError });
    const backend = serviceInternals(service).createWalletBackend(500);
    const writer = createWriter();
    const delivery = new CardDelivery(
      backend,
      new CardUpdater(writer, backend.notices, clock.read),
      new Reconciliation(backend, writer, ignoreError),
      endedDeliveries.wrapStorage(failing),
      ignoreError,
      () => {},
      () => random(1_000) / 1_000,
    );
    return new WalletWorker(backend, [delivery]);
  }

  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const messages = new SomeMessages(storage, clock.read);
  const writer = createWriter();
  const passIds: string[] = [];
  const heldPassIds = new Set<string>();
  const stampsByPass = new Map<string, number>();
  for (let at = 0; at < cards; at += 1) {
    const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
    await acme.passes.walletLinks(id);
    const issuedCard = await reading.card(id);
    if (issuedCard !== null) await writer.insert(issuedCard);
    await reading.google.recordAtGoogle("acme", id, 0);
    passIds.push(id);
    stampsByPass.set(id, 0);
    // Some customers have followed the link without adding the card.
    if (at % 8 === 7) continue;
    google.addPass(id);
    heldPassIds.add(id);
    const device = { passId: id, platform: "google", deviceId: GOOGLE_DEVICE, pushToken: null } as const;
    await reading.devices.register("acme", device);
  }
  clock.move(HOUR_MS);

  const chooseCards = () => passIds.filter(() => random(3) > 0);
  const shownIds: string[] = [];

  async function write(): Promise<void> {
    const id = await messages.make(template.id, "{toGo} to go");
    const cards = chooseCards().map((passId) => ({ passId, deliveryId: endedDeliveries.begin(id, passId) }));
    counts.replaced += (await messages.show(id, cards, clock.read() + random(2 * DAY_MS))).length;
    shownIds.push(id);
  }

  async function takeBackMessage(): Promise<void> {
    const [id] = shownIds.splice(random(shownIds.length), 1);
    if (id === undefined) return;
    if (random(2) === 0) await messages.cancel(id);
    await messages.clear(id, 7);
  }

  inTrouble = isTroubled;
  const workers = Array.from({ length: PROCESSES }, createWorker);
  for (let round = 0; round < rounds; round += 1) {
    if (random(6) === 0) await write();
    if (random(12) === 0) await takeBackMessage();
    for (const id of passIds) {
      if (random(12) > 0) continue;
      await acme.stamps.add(id);
      stampsByPass.set(id, (stampsByPass.get(id) ?? 0) + 1);
    }
    clock.move(random(20) === 0 ? random(10 * HOUR_MS) : random(6_000));
    await google.deliverLateCalls();
    await Promise.all(workers.map((worker) => worker.runOnce()));
    // Replaces a process, as if it had died.
    workers[random(PROCESSES)] = createWorker();
  }

  // Everything works again, and what was left is due within an hour.
  inTrouble = false;
  for (let round = 0; round < 80; round += 1) {
    clock.move(MINUTE_MS);
    await google.deliverLateCalls();
    await createWorker().runOnce();
  }

  for (const passId of passIds) {
    const [card] = await runStep(storage.reader("acme").walletCardsOf([passId]));
    const message = (await reading.card(passId))?.message ?? null;
    const expected = message !== null && (heldPassIds.has(passId) || card?.messageDeliveryId === null);
    const ids = google.listMessages(passId).filter((id) => id !== "next");
    // A card that no customer has isn't visible. It gets the message with its next change.
    const isRight = heldPassIds.has(passId) ? ids.join() === (expected ? message.id : "") : ids.length <= 1;
    if (!isRight) wrong.add(`${passId} shows ${ids.join()} in place of ${message?.id ?? "nothing"}`);
    if (message !== null && card?.messageDeliveryId != null) wrong.add(`${passId} waits for ${message.id}`);
    if (google.shown.get(passId) !== stampsByPass.get(passId)) wrong.add(`${passId} shows old stamps`);
  }
  for (const passId of google.doubles) wrong.add(`${passId} had a message twice`);
  for (const complaint of google.complaints) wrong.add(complaint);
  const times = new Map<string, number>();
  for (const { passId, messageId, at } of google.notices) {
    const { length } = google.notices.filter(
      (notice) => notice.passId === passId && notice.at > at - DAY_MS && notice.at <= at,
    );
    if (length > 3) wrong.add(`${passId} was notified ${length} times in a day`);
    if (messageId === null) continue;
    const key = `${passId} ${messageId}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  for (const [key, count] of times) if (count > 1) wrong.add(`${key} was notified of ${count} times`);
  for (const { messageId, passId, isSilent } of endedDeliveries.accepted) {
    const count = times.get(`${passId} ${messageId}`) ?? 0;
    if (count !== (isSilent ? 0 : 1))
      wrong.add(`${passId} ${messageId} counts as ${isSilent ? "silent" : "aloud"}`);
    if (!heldPassIds.has(passId)) wrong.add(`${passId} counts as told, and nobody has it`);
  }
  const silent = endedDeliveries.accepted.filter(({ isSilent }) => isSilent).length;
  return {
    ...counts,
    wrong: [...wrong],
    accepted: endedDeliveries.accepted.length,
    silent,
    missing: endedDeliveries.missing.length,
  };
}
