import { LoyaltyService } from "loyalty-kit";
import { expect, it, onTestFinished } from "vitest";
import { someEmail } from "../kit/acme.js";
import { openFaulty } from "./faults/backends.js";

it("while a tag is taken from all its users, other organizations change and read, and its own reads", async () => {
  const { storage, other, waiting } = await openFaulty();
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  const [acme, quiet] = [loyalty.organization("acme"), loyalty.organization("quiet")];
  const ada = await acme.users.create({ email: someEmail() });
  await acme.tags.create({ name: "VIP" });
  await acme.tags.assign(ada.id, "vip");
  // However long it takes: the deletion stops here, in the middle of its transaction.
  await other.query("begin");
  await other.query("select from loyalty_user_tag_assignments where organization_id = 'acme' for update");
  const deleted = acme.tags.delete("vip");
  await waiting(1);
  for (let time = 1; time <= 10; time += 1) {
    await quiet.users.create({ email: someEmail() });
    expect((await quiet.contacts.list()).totalElements).toBe(time);
    expect(await acme.tags.ofUser(ada.id)).toMatchObject([{ slug: "vip" }]);
  }
  await other.query("rollback");
  await deleted;
  expect(await acme.tags.ofUser(ada.id)).toEqual([]);
  expect(await acme.tags.list()).toEqual([]);
});
