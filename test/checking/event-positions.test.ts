import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { databases } from "./damageable.js";

describe.each(databases)("the event position of a delivery, checked on $name,", ({ open }) => {
  it("is reported if it is missing or wrong, and is repaired, to null if the event is gone", async () => {
    const { storage, damage, rows } = await open();
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
    for (const name of ["a", "b", "c", "d"]) await acme.tags.create({ name });
    await serviceInternals(loyalty).webhookQueue.claimNext({ organizationId: "acme", endpointId: id }, 0);
    await acme.webhooks.test(id);
    const listPositions = async () =>
      (await rows("select event_position as at from loyalty_webhook_deliveries order by event_type, id")).map(
        ({ at }) => at && Number(at),
      );
    expect(await listPositions()).toEqual([1, 2, 3, 4, null]);
    expect(await checkStorage(storage)).toEqual([]);
    const movePosition = (oldPosition: string, newPosition: string) =>
      damage(
        `update loyalty_webhook_deliveries set event_position = ${newPosition} where event_position = ${oldPosition}`,
      );
    await movePosition("4", "null");
    await movePosition("1", "2000");
    await damage("delete from loyalty_events where position = 3");
    await movePosition("3", "2");
    expect(await checkStorage(storage)).toMatchObject([
      { kind: "copies", isRepaired: false },
      { kind: "copies", isRepaired: false },
      { kind: "copies", isRepaired: false },
    ]);
    const repairReport = await checkStorage(storage, { repair: true });
    expect(repairReport.map(({ isRepaired }) => isRepaired)).toEqual([true, true, true]);
    expect(await listPositions()).toEqual([1, 2, null, 4, null]);
    expect(await checkStorage(storage)).toEqual([]);
    // An old event may be removed before its delivery.
    await damage("delete from loyalty_events where position = 1");
    expect(await checkStorage(storage)).toEqual([]);
    expect(await listPositions()).toEqual([1, 2, null, 4, null]);
  });
});
