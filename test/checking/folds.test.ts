import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { getErrorDetail } from "../kit/refusal.js";
import { type Damageable, databases } from "./damageable.js";

describe.each(databases)("a check of the folded fields of users on $name", ({ open }) => {
  let shop: Damageable;
  beforeAll(async () => {
    shop = await open();
  });

  function createOrganization(organizationId: string) {
    const { storage, damage }: { storage: StorageAdapter; damage: Damageable["damage"] } = shop;
    const { users, settings, contacts } = new LoyaltyService({ storage }).organization(organizationId);
    return {
      users,
      settings,
      contacts,
      check: (repair: boolean) => checkStorage(storage, { organizationId, repair }),
      setFold: (email: string, fold: string) =>
        damage(
          `update loyalty_users set email_fold = '${fold}' where organization_id = '${organizationId}' and email = '${email}'`,
        ),
    };
  }

  it("repairs a wrong email fold, so that the user is found by email and the email stays unique", async () => {
    const { users, contacts, check, setFold } = createOrganization("one");
    const ada = await users.create({ email: "Ada@Example.com", name: "ÅDA" });
    await setFold("Ada@Example.com", "other");
    expect(await check(false)).toMatchObject([{ kind: "folds", about: ada.id, isRepaired: false }]);
    expect(await check(true)).toMatchObject([{ kind: "folds", about: ada.id, isRepaired: true }]);
    expect(await check(false)).toEqual([]);
    expect(await users.find({ email: "ada@example.COM" })).toEqual(ada);
    expect(await getErrorDetail(users.create({ email: "ADA@example.com" }))).toMatchObject({
      code: "user_already_exists",
    });
    expect((await contacts.list({ search: "åda" })).totalElements).toBe(1);
  });

  it("repairs users whose email folds are swapped", async () => {
    const { users, check, setFold } = createOrganization("swapped");
    const emails = ["a@example.com", "b@example.com", "c@example.com"];
    const ids = [];
    for (const email of emails) ids.push((await users.create({ email })).id);
    for (const email of emails) await setFold(email, `${email} before`);
    for (const [at, email] of emails.entries()) await setFold(email, emails[(at + 1) % 3] ?? "");
    expect((await check(true)).map(({ about, isRepaired }) => [about, isRepaired])).toEqual(
      ids.map((id) => [id, true]),
    );
    expect(await check(false)).toEqual([]);
    for (const [at, email] of emails.entries())
      expect(await users.find({ email })).toMatchObject({ id: ids[at] });
  });

  it("clears the email fold of a user without an email, even if it is another user's", async () => {
    const { users, settings, check, setFold } = createOrganization("without");
    await settings.update({ requiresEmail: false });
    const bo = await users.create({ email: "bo@example.com", phone: "1" });
    await users.update(bo.id, { email: null });
    const ada = await users.create({ email: "ada@example.com" });
    await setFold("ada@example.com", "elsewhere");
    await shop.damage(`update loyalty_users set email_fold = 'ada@example.com' where id = '${bo.id}'`);
    const repairReport = await check(true);
    expect(repairReport.map(({ about, isRepaired }) => [about, isRepaired])).toEqual([
      [bo.id, true],
      [ada.id, true],
    ]);
    expect(await check(false)).toEqual([]);
    expect(await users.find({ email: "ada@example.com" })).toEqual(ada);
  });

  it("reports two users with the same email, and changes neither", async () => {
    const { users, contacts, check, setFold } = createOrganization("twins");
    const first = await users.create({ email: "ada@example.com" });
    await setFold("ada@example.com", "lost");
    const second = await users.create({ email: "ADA@example.com" });
    // This user can't be repaired, because a user whose row can't be changed has the value.
    const third = await users.create({ email: "lost@example.com" });
    await setFold("lost@example.com", "elsewhere");
    await setFold("ada@example.com", "lost@example.com");
    const found = [
      { about: first.id, isRepaired: false, reason: `${second.id} has the same email` },
      { about: third.id, isRepaired: false, reason: `${first.id} has its place` },
    ];
    for (const repair of [false, true, true]) expect(await check(repair)).toMatchObject(found);
    expect((await contacts.list()).totalElements).toBe(3);
    await users.delete(second.id);
    expect(await check(true)).toMatchObject([{ isRepaired: true }, { isRepaired: true }]);
    expect(await users.find({ email: "Ada@example.com" })).toMatchObject({ id: first.id });
  });
});
