import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPlace } from "./place.js";

/** Opens a shop on Postgres, and a way to count the statements that a call sends to the server. */
async function openCountedShop() {
  const place = await createPlace();
  const loyalty = new LoyaltyService({ storage: await postgresStorage(place.url) });
  const querySpy = vi.spyOn(pg.Client.prototype, "query");
  onTestFinished(async () => {
    querySpy.mockRestore();
    await loyalty.close();
    await place.remove();
  });
  async function countStatements(call: () => Promise<unknown>): Promise<number> {
    const before = querySpy.mock.calls.length;
    await call();
    return querySpy.mock.calls.length - before;
  }
  return { acme: loyalty.organization("acme"), countStatements };
}

const createRows = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    externalId: `${name}-${at}`,
    email: `${name}-${at}@example.com`,
    tags: ["VIP"],
  }));

describe("on Postgres, where each statement is a round trip", () => {
  it("an import of 500 new customers sends fewer than 50 statements", async () => {
    const { acme, countStatements } = await openCountedShop();
    const rows = createRows("c", 500);
    expect(await countStatements(() => acme.users.import(rows, { createTags: true }))).toBeLessThan(50);
    const vips = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    expect((await acme.tags.query({ filter: vips })).totalElements).toBe(500);
  });

  it("an import of 500 unchanged customers sends at most 20 statements", async () => {
    const { acme, countStatements } = await openCountedShop();
    const rows = createRows("c", 500);
    await acme.users.import(rows, { createTags: true });
    expect(await countStatements(() => acme.users.import(rows))).toBeLessThanOrEqual(20);
  });

  it("an import of 500 customers with cards sends fewer than 50 statements, and fewer than 30 the second time", async () => {
    const { acme, countStatements } = await openCountedShop();
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 10,
    });
    const rows = createRows("c", 500).map((row, at) => ({
      ...row,
      passes: [{ templateId, stamps: 3, completions: 2, ...(at % 2 === 0 && { code: `card-${at}` }) }],
    }));
    const importRows = () => acme.passes.import(rows, { createTags: true });
    expect(await countStatements(importRows)).toBeLessThan(50);
    expect(await countStatements(importRows)).toBeLessThan(30);
    const { id } = await acme.passes.lookup("card-498");
    const { content } = await acme.stamps.history(id);
    expect(content.map(({ type }) => type)).toEqual(["redeemed", "redeemed", "added"]);
  });

  it("assigning or unassigning a tag for 1,000 customers sends fewer than 50 statements", async () => {
    const { acme, countStatements } = await openCountedShop();
    const rows = createRows("c", 1_000);
    await acme.users.import(rows, { createTags: true });
    await acme.tags.create({ name: "New" });
    const userIds = rows.map(({ externalId }) => externalId);
    expect(await countStatements(() => acme.tags.assignUsers("new", { userIds }))).toBeLessThan(50);
    expect(await countStatements(() => acme.tags.unassignUsers("vip", { userIds }))).toBeLessThan(50);
    expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
  });
});
