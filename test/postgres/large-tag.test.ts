import { LoyaltyService } from "loyalty-kit";
import { expect, it, onTestFinished } from "vitest";
import { someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { openFaulty } from "./faults/backends.js";

it("while a deleted tag is removed from its users, other organizations can write and read, and its own can read", async () => {
  const { storage, other, waitForWaiting: waiting } = await openFaulty();
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  const [acme, quiet] = [loyalty.organization("acme"), loyalty.organization("quiet")];
  const rows = Array.from({ length: 501 }, () => ({ email: someEmail(), tags: ["VIP"] }));
  await acme.users.import(rows, { createTags: true });
  const [first] = await collect(acme.users.list());
  const ada = first?.id ?? "";
  // Blocks the second slice in the middle of its transaction, to make it arbitrarily slow.
  await other.query("begin");
  await other.query(
    "select from loyalty_user_tag_assignments where organization_id = 'acme' and user_ordinal = 500 for update",
  );
  await acme.tags.delete("vip");
  await waiting(1);
  for (let time = 1; time <= 10; time += 1) {
    await quiet.users.create({ email: someEmail() });
    expect((await quiet.contacts.list()).totalElements).toBe(time);
    expect(await acme.tags.ofUser(ada)).toEqual([]);
  }
  await other.query("rollback");
  await expect
    .poll(async () => (await acme.events.list({ types: ["user_tag.deleted"] })).content.length)
    .toBe(1);
});
