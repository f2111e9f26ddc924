import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { someTagRemoval } from "../../adapters/testing/storage-suite/kit/records.js";
import { databases } from "./damageable.js";

describe.each(databases)("the set of a deleted tag, on $name,", ({ open }) => {
  it("is repaired if it lacks a user, who then gets the tag that it was merged into", async () => {
    const { storage, damage } = await open();
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const { id } = await acme.users.create({ email: "ada@example.com" });
    for (const name of ["Old", "New"]) await acme.tags.create({ name });
    await acme.tags.assign(id, "old");
    await storage.transaction("acme", function* (tx) {
      const [old, target] = [yield* tx.findTag("old"), yield* tx.findTag("new")];
      if (old === null || target === null) throw new Error("there is no tag");
      const merge = JSON.stringify({ from: "old", into: "new" });
      yield* tx.removeTag(someTagRemoval(old, { targetOrdinal: target.ordinal, merge }));
    });
    await damage("delete from loyalty_segment_chunks where set_id = 1");
    const found = { organizationId: "acme", kind: "segments", about: "old" };
    expect(await checkStorage(storage)).toEqual([{ ...found, isRepaired: false }]);
    expect(await checkStorage(storage, { repair: true })).toEqual([{ ...found, isRepaired: true }]);
    await loyalty.refreshSegments();
    const holders: string[] = [];
    for await (const user of acme.tags.users("new")) holders.push(user.id);
    expect(holders).toEqual([id]);
    expect(await checkStorage(storage)).toEqual([]);
  });
});
