import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { open } from "./open-storage.js";

describe("organizations whose ids have spaces", () => {
  it("keep their sets apart from the slugs in other organizations' filters", async () => {
    const loyalty = new LoyaltyService({ storage: await open() });
    const [short, long] = [loyalty.organization("c"), loyalty.organization("x c")];
    const filterNobody = (slug: string) => ({ filter: { operator: "NOT", conditions: [{ slug }] } }) as const;
    for (const number of [1, 2, 3]) await long.users.create({ email: `${number}@example.com` });
    await short.users.create({ email: "1@example.com" });
    await long.tags.query(filterNobody("nobody"));
    await short.tags.query(filterNobody("nobody"));
    await short.tags.query(filterNobody(" x"));
    for (const number of [2, 3]) await short.users.create({ email: `${number}@example.com` });
    expect((await short.tags.query(filterNobody(" x"))).totalElements).toBe(3);
    expect((await short.contacts.list()).totalElements).toBe(3);
  });
});
