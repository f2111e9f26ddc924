import { LoyaltyService, type Organization } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { bridgedHosts } from "./bridged-hosts.js";
import { listOutbox } from "./shop.js";

const TRANSACTIONS = 200;
const CARDS = 12;

/** Creates a generator that returns the same numbers in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Creates the cards of twelve customers in three organizations. */
async function createPasses(organizations: readonly Organization[]) {
  const cards: { readonly id: string; readonly organization: Organization }[] = [];
  for (const organization of organizations) {
    const { id } = await organization.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    for (let at = 0; at < CARDS / organizations.length; at += 1) {
      const user = { email: `customer-${at}@example.com` };
      cards.push({ id: (await organization.passes.create(id, { user })).id, organization });
    }
  }
  return cards;
}

describe.each(bridgedHosts)("200 concurrent transactions of $name", ({ open }) => {
  it("have one order per stamp, even if some are rolled back or lose their connection", async () => {
    const host = await open();
    const loyalty = new LoyaltyService({ storage: host.storage });
    onTestFinished(async () => {
      await loyalty.close();
      await host.close();
    });
    const organizations = ["acme", "globex", "initech"].map((id) => loyalty.organization(id));
    const cards = await createPasses(organizations);
    const before = await Promise.all(organizations.map(({ id }) => countEvents(id)));
    const random = createRandom(42);
    async function countEvents(organization: string): Promise<number> {
      return (await listOutbox(host.storage, 0, organization)).length;
    }

    async function buy(number: number): Promise<void> {
      const card = cards[Math.floor(random() * cards.length)];
      if (card === undefined) throw new Error("there is no card");
      const fate = random();
      await host.transaction(async (tx, execute) => {
        const { stamps } = card.organization.joining(tx);
        await stamps.add(card.id);
        await execute(`insert into orders (id, customer) values ('${card.id}/${number}', 'somebody')`);
        if (fate < 0.2) throw new Error("not paid");
        if (fate < 0.4) await stamps.redeem(card.id).catch(() => undefined);
        if (fate > 0.9 && host.database === "Postgres") {
          await execute("select pg_terminate_backend(pg_backend_pid())");
        }
      });
    }

    const outcomes = await Promise.allSettled(
      Array.from({ length: TRANSACTIONS }, (_, number) => buy(number)),
    );
    const committed = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(committed).toBeGreaterThan(TRANSACTIONS / 2);
    expect(committed).toBeLessThan(TRANSACTIONS);

    const orders = await host.listOrders();
    expect(orders).toHaveLength(committed);
    for (const { id, organization } of cards) {
      const sold = orders.filter((order) => order.startsWith(id)).length;
      expect(await organization.stamps.state(id)).toMatchObject({ totalStampsCollected: sold });
    }
    for (const [at, organization] of organizations.entries()) {
      const events = await listOutbox(host.storage, before[at] ?? 0, organization.id);
      expect(events.map((event) => Number.parseInt(event, 10))).toEqual(
        Array.from({ length: events.length }, (_, place) => (before[at] ?? 0) + place + 1),
      );
      expect((await organization.tags.verifyIndex()).wrong).toEqual([]);
    }
  });
});
