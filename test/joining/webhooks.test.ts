import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { hosts } from "./host.js";
import { openShop } from "./shop.js";

const url = "https://example.com/webhooks";

describe.each(hosts)("webhooks and joined transactions on $name", ({ open }) => {
  it("create and delete an endpoint only if the host commits", async () => {
    const { db, acme } = await openShop(await open());
    const undone = db.transaction().execute(async (trx) => {
      await acme.joining(trx).webhooks.create({ url });
      throw new Error("rolled back");
    });
    await expect(undone).rejects.toThrow("rolled back");
    expect(await acme.webhooks.list()).toEqual([]);
    const { webhookEndpoint } = await db.transaction().execute(async (trx) => {
      const { webhooks } = acme.joining(trx);
      const createdEndpoint = await webhooks.create({ url });
      await webhooks.test(createdEndpoint.webhookEndpoint.id);
      await webhooks.rotateSecret(createdEndpoint.webhookEndpoint.id);
      return createdEndpoint;
    });
    expect((await acme.webhooks.deliveries(webhookEndpoint.id)).content).toHaveLength(1);
    await db.transaction().execute((trx) => acme.joining(trx).webhooks.delete(webhookEndpoint.id));
    expect(await acme.webhooks.list()).toEqual([]);
  });

  it("signal events to a worker soon after the host's commit, and not before", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const { webhookEndpoint } = await acme.webhooks.create({ url });
    const { webhookQueue } = serviceInternals(loyalty);
    const place = { organizationId: acme.id, endpointId: webhookEndpoint.id };
    const signals: string[] = [];
    webhookQueue.onWork((organizationId) => signals.push(organizationId));
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      expect(signals).toEqual([]);
    });
    await expect.poll(() => signals).toEqual([acme.id]);
    await webhookQueue.claimNext(place, 0);
    const [job] = (await webhookQueue.claimNext(place, 10)).jobs;
    expect(JSON.parse(job?.body ?? "")).toMatchObject({ type: "stamp.added" });
  });
});
