import type { Kysely, Transaction } from "kysely";
import {
  type EventType,
  type LoyaltyOptions,
  LoyaltyService,
  type Organization,
  type StorageAdapter,
} from "loyalty-kit";
import { expect, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import type { Host, Shop } from "./host.js";

/** A shop with loyalty-kit, whose customer Ada has a ten-stamp card in the organization "acme". */
export interface OpenShop {
  readonly db: Kysely<Shop>;
  readonly loyalty: LoyaltyService;
  readonly storage: StorageAdapter;
  readonly acme: Organization;
  readonly ada: string;
  readonly card: string;
  /** Errors reported to `onError`. The test fails if any remain. */
  readonly errors: unknown[];
}

/** Opens the shop for one test. */
export async function openShop(host: Host, options: Partial<LoyaltyOptions> = {}): Promise<OpenShop> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const loyalty = new LoyaltyService({ onError, ...options, storage: host.storage });
  onTestFinished(async () => {
    await loyalty.close();
    await host.close();
    expect(errors).toEqual([]);
  });
  const acme = loyalty.organization("acme");
  const { ada, card } = await createCustomer(acme);
  return { db: host.db, storage: host.storage, loyalty, acme, ada, card, errors };
}

/** Creates a customer with a ten-stamp card. That records three events. */
export async function createCustomer(organization: Organization): Promise<{ ada: string; card: string }> {
  const { id: ada } = await organization.users.create({ email: "ada@example.com" });
  const { id: template } = await organization.templates.create({
    name: "Coffee",
    type: "STAMP_CARD",
    maxStamps: 10,
  });
  const { id: card } = await organization.passes.create(template, { userId: ada });
  return { ada, card };
}

export async function insertOrder(trx: Kysely<Shop> | Transaction<Shop>, id: string): Promise<void> {
  await trx.insertInto("orders").values({ id, customer: "Ada" }).execute();
}

export async function listOrders(db: Kysely<Shop>): Promise<string[]> {
  const rows = await db.selectFrom("orders").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

export async function readStamps(organization: Organization, card: string): Promise<number> {
  return (await organization.stamps.state(card)).currentStamps;
}

/** Lists position and type of the outbox events after a position. */
export async function listOutbox(
  storage: StorageAdapter,
  after = 3,
  organization = "acme",
): Promise<string[]> {
  const events = await runStep(storage.reader(organization).listEvents(null, after, 1_000));
  return events.map(({ position, type }) => `${position} ${type}`);
}

/** Records the events of these types that listeners receive. `count` waits until that many have arrived. */
export function recordEvents(loyalty: LoyaltyService, ...types: EventType[]) {
  const events: string[] = [];
  let awaited: { count: number; resolve: () => void } | null = null;
  for (const type of types) {
    loyalty.on(type, (event, { organizationId }) => {
      events.push(`${organizationId} ${event.type}`);
      if (awaited !== null && events.length >= awaited.count) awaited.resolve();
    });
  }
  const count = (count: number) =>
    new Promise<void>((resolve) => {
      awaited = { count, resolve };
      if (events.length >= count) resolve();
    });
  return { events, count };
}
