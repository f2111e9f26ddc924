import type { LoyaltyOptions, StorageAdapter } from "loyalty-kit";
import type { EndpointRef } from "loyalty-kit/storage";
import { serviceInternals } from "../../src/internals.js";
import type { AttemptResult, DeliveryJob } from "../../src/webhooks/queue.js";
import { type Acme, openAcme, someEmail } from "../kit/acme.js";

export const URL_OF_ENDPOINT = "https://hooks.example.com/loyalty";

/** An organization with an endpoint, and the single steps of a delivery worker. */
export interface Hooks extends Acme {
  readonly id: string;
  readonly secret: string;
  readonly place: EndpointRef;
  /** Creates events and their deliveries. @returns the ids of the events. */
  createEvents(count?: number): Promise<string[]>;
  /** Creates deliveries of all new events. */
  fanOut(): Promise<void>;
  claim(limit?: number): Promise<DeliveryJob[]>;
  /** Claims everything that is due and records the same result for all of it. */
  attemptDeliveries(result?: Partial<AttemptResult>): Promise<DeliveryJob[]>;
}

/** Returns the result of a successful attempt, with the given changes. */
export function createResult(startedAt: number, result: Partial<AttemptResult> = {}): AttemptResult {
  return { startedAt, duration: 20, status: 200, retryAfter: null, response: "ok", error: null, ...result };
}

export async function openHooks(
  options: Partial<LoyaltyOptions> & { readonly storage?: StorageAdapter } = {},
): Promise<Hooks> {
  const shop = openAcme({ webhooks: { random: () => 0.5 }, ...options });
  const { acme, clock } = shop;
  const { webhookQueue: queue } = serviceInternals(shop.loyalty);
  const { secret, webhookEndpoint } = await acme.webhooks.create({ url: URL_OF_ENDPOINT });
  const place = { organizationId: "acme", endpointId: webhookEndpoint.id };
  const fanOut = async () => {
    while ((await queue.claimNext(place, 0)).hasMore);
  };
  const claim = async (limit = 1_000) => [...(await queue.claimNext(place, limit)).jobs];
  return {
    ...shop,
    id: webhookEndpoint.id,
    secret,
    place,
    fanOut,
    claim,
    async createEvents(count = 1) {
      const { next: after } = await readLastPage(acme);
      for (let time = 0; time < count; time += 1) await acme.users.create({ email: someEmail() });
      await fanOut();
      const { content } = await acme.events.list({ after, limit: 1_000 });
      return content.map(({ id }) => id);
    },
    async attemptDeliveries(result) {
      const jobs = await claim();
      const attempts = jobs.map((job) => ({ job, result: createResult(clock.now, result) }));
      await queue.recordResults(place, attempts);
      return jobs;
    },
  };
}

/** Returns the page after the last event. */
async function readLastPage({ events }: Acme["acme"]) {
  let page = await events.list({ limit: 1_000 });
  while (page.content.length > 0) page = await events.list({ limit: 1_000, after: page.next });
  return page;
}
