import { isLoyaltyError, LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { runStep } from "../../../src/base/concurrency/step.js";
import { RETRY_DELAYS_MS } from "../../../src/webhooks/delivery-schedule.js";
import { checkOutcome, type Endpoint, listDeliveries, type Outcome } from "./checks.js";
import { Network } from "./network.js";
import { Process, SharedStorage, type World } from "./process.js";
import { chooseFate, createGoneFate, type Fate } from "./scenario.js";
import { VirtualTime } from "./virtual-time.js";

export interface Trial {
  readonly seed: number;
  /** Number of changes; each is one event or several. */
  readonly changes: number;
  /** Number of days with trouble. */
  readonly days: number;
  readonly open: () => Promise<StorageAdapter>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const START = Date.UTC(2026, 0, 1);
const PROCESSES = 3;
const HOSTS = 6;
const ORGANIZATIONS = ["acme", "globex"];

/** Time in milliseconds that a worker has to begin what it has claimed. */
const START_WITHIN = 5 * SECOND + SECOND;

/** Longer than all attempts at a delivery take, so that everything that can arrive has arrived. */
const AFTERMATH = 5 * DAY;

/**
 * Lets workers deliver for some days of virtual time, with failures of the workers, their storage and the receivers.
 * @returns the outcome, with everything that is wrong with it.
 */
export async function simulate({ seed, changes, days, open }: Trial): Promise<Outcome> {
  const random = pseudoRandom(seed);
  const time = new VirtualTime(START);
  const troubleEnds = START + days * DAY;
  const fates = new Map<string, Fate>();
  const network = new Network(time, random, (host) => fates.get(host)?.getMood(time.now) ?? "well");
  const underlying = await open();
  const storage = new SharedStorage(underlying);
  const errors: unknown[] = [];
  // Storage calls fail on purpose; nothing else may fail.
  const onError = (error: unknown) => {
    if (!isLoyaltyError(error, "storage_unavailable")) errors.push(error);
  };
  const world: World = { time, storage, network, random, pollMs: MINUTE, failingCalls: 50, onError };
  // Makes the changes; it has no worker and never dies.
  const host = new LoyaltyService({ storage: storage.wrapStorage((run) => run()), clock: time.clock });
  const organizations = ORGANIZATIONS.map((id) => host.organization(id));
  const endpoints: Endpoint[] = [];

  const processes = new Set<Process>();
  const startProcess = () => {
    const process = new Process(world, () => {
      processes.delete(process);
      time.after(random(5 * MINUTE), startProcess);
    });
    processes.add(process);
  };
  for (let at = 0; at < PROCESSES; at += 1) startProcess();

  async function addEndpoint(): Promise<void> {
    const organization = pickOne(random, organizations);
    const name = `host-${endpoints.length}.example`;
    const isDoomed = random(5) === 0;
    fates.set(
      name,
      isDoomed ? createGoneFate(time.now + random(DAY)) : chooseFate(random, time.now, troubleEnds),
    );
    const { webhookEndpoint } = await organization.webhooks.create({ url: `https://${name}/hook` });
    endpoints.push({
      id: webhookEndpoint.id,
      organization,
      host: name,
      createdAt: time.now,
      spells: [],
      deletedAt: null,
    });
  }
  for (let at = 0; at < HOSTS; at += 1) await addEndpoint();

  /** Causes one of the occasional events beside the changes. */
  async function interfere(): Promise<void> {
    const endpoint = pickOne(random, endpoints);
    switch (random(8)) {
      case 0:
      case 1:
      case 2:
        return pickOne(random, [...processes, null])?.die();
      case 3:
        return addEndpoint();
      case 4:
        return deleteEndpoint(endpoint);
      case 5:
      case 6:
        return switchEndpoint(endpoint);
      case 7:
        if (endpoint.deletedAt === null) {
          await endpoint.organization.webhooks.rotateSecret(endpoint.id);
        }
    }
  }

  async function deleteEndpoint(endpoint: Endpoint): Promise<void> {
    if (endpoint.deletedAt !== null || random(3) > 0) return;
    await endpoint.organization.webhooks.delete(endpoint.id);
    endpoint.deletedAt = time.now;
  }

  /** Disables an endpoint for a while. */
  async function switchEndpoint(endpoint: Endpoint): Promise<void> {
    if (endpoint.deletedAt !== null || endpoint.spells.length > 0) return;
    const { webhooks } = endpoint.organization;
    const { disabledAt } = await webhooks.get(endpoint.id);
    if (disabledAt !== null) return;
    await webhooks.update(endpoint.id, { isDisabled: true });
    const from = time.now;
    await time.leapTo(from + random(2 * HOUR), storage.quiet);
    endpoint.spells.push({ from, to: time.now });
    await webhooks.update(endpoint.id, { isDisabled: false });
  }

  for (let change = 0; change < changes; change += 1) {
    if (random(4) === 0) {
      const pause = random((2 * days * DAY * 4) / changes);
      await time.leapTo(time.now + pause, storage.quiet);
    }
    await pickOne(random, organizations).users.create({ email: `customer-${change}@example.com` });
    if (random(Math.ceil(changes / 40)) === 0) await interfere();
  }
  await time.leapTo(Math.max(time.now, troubleEnds) + HOUR, storage.quiet);
  for (let waitedMs = 0; waitedMs < AFTERMATH && (await isPending()); waitedMs += HOUR) {
    await time.leapTo(time.now + HOUR, storage.quiet);
  }

  async function isPending(): Promise<boolean> {
    for (const endpoint of endpoints) {
      const storedEndpoint = await runStep(
        underlying.reader(endpoint.organization.id).findWebhookEndpoint(endpoint.id),
      );
      if (storedEndpoint === null || storedEndpoint.disabledAt !== null) continue;
      const deliveries = await listDeliveries(underlying, endpoint);
      if (deliveries.some(({ status }) => status === "pending")) return true;
    }
    return false;
  }

  const outcome = await checkOutcome({
    storage: underlying,
    organizations,
    endpoints,
    network,
    startWithin: START_WITHIN,
    getLeastDelay,
  });
  const closing = Promise.all([...processes].map((process) => process.close()));
  await time.leapTo(time.now + MINUTE, storage.quiet);
  await closing;
  await underlying.close();
  return { ...outcome, wrong: [...outcome.wrong, ...errors.map(String)] };
}

function getLeastDelay(failures: number): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : delay * 0.9 - 1;
}

function pickOne<T>(random: (bound: number) => number, from: readonly T[]): T {
  const item = from[random(from.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}
