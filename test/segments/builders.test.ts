import fc from "fast-check";
import * as loyalty from "loyalty-kit";
import { all, any, not, tag } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import type { Operand } from "../../src/segments/filter-builders-schema.js";
import { leafNames } from "../../src/segments/leaf-schema.js";
import { openAcme } from "../kit/acme.js";
import { runs } from "../properties/runs.js";

const days = fc.integer({ min: 0, max: 36_500 });
const path = fc.array(fc.constantFrom("city", "born", "a.b"), { minLength: 1, maxLength: 3 });

/** A condition of each kind. */
const conditions = {
  segment: fc.constant(loyalty.segment("regulars")),
  stamps: fc.record({ templateId: fc.constant("tpl_1"), min: fc.nat(3) }).map(loyalty.stamps),
  rewards: fc.record({ min: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] }).map(loyalty.rewards),
  completions: fc
    .record({ max: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] })
    .map(loyalty.completions),
  lastVisit: fc
    .oneof(
      days.map((withinDays) => ({ withinDays })),
      days.map((beforeDays) => ({ beforeDays })),
      fc.constant({ never: true }),
    )
    .map(loyalty.lastVisit),
  visits: fc.record({ days: fc.nat(730), min: fc.nat(10) }).map(loyalty.visits),
  points: fc.record({ templateId: fc.constant("tpl_1"), min: fc.nat(1_000_000_000) }).map(loyalty.points),
  pointsExpire: fc
    .record({ templateId: fc.constant("tpl_1"), withinDays: fc.nat(730) })
    .map(loyalty.pointsExpire),
  spent: fc
    .record({ days: fc.nat(730), currency: fc.constantFrom("EUR", "USD"), min: fc.nat() })
    .map(loyalty.spent),
  purchases: fc.record({ days: fc.nat(730), max: fc.nat(1_000_000) }).map(loyalty.purchases),
  joined: fc.constantFrom({ from: "2026-01-01", to: "2026-02-01" }, { withinDays: 7 }).map(loyalty.joined),
  metadata: fc.record({ path, equals: fc.oneof(fc.integer(), fc.boolean()) }).map(loyalty.metadata),
  anniversary: fc.record({ path, month: fc.integer({ min: 1, max: 12 }) }).map(loyalty.anniversary),
  field: fc
    .record({ name: fc.constantFrom("phone", "name", "externalId"), exists: fc.boolean() })
    .map(loyalty.field),
  wallet: fc.record({ installed: fc.boolean() }).map(loyalty.wallet),
  subscription: fc
    .constantFrom({ channel: "email", status: "SUBSCRIBED" } as const)
    .map(loyalty.subscription),
  language: fc.constantFrom("de", "en", "pt-BR").map(loyalty.language),
};

const operand = fc.letrec<{ operand: Operand }>((tie) => ({
  operand: fc.oneof(
    { depthSize: "small" },
    fc.constant(tag("vip")),
    ...Object.values(conditions),
    fc
      .tuple(fc.constantFrom(all, any, not), tie("operand"), fc.array(tie("operand"), { maxLength: 3 }))
      .map(([combine, first, others]) => combine(first, ...others)),
  ),
})).operand;

describe("filter builders", () => {
  it("exist for every kind of condition", () => {
    expect(["slug", ...Object.keys(conditions)].sort()).toEqual([...leafNames].sort());
  });

  it("build filters that a query accepts", async () => {
    const { acme } = openAcme();
    await acme.tags.create({ name: "VIP" });
    await acme.segments.create({ name: "Regulars", filter: all(tag("vip")) });
    await acme.users.create({ email: "ada@example.com" });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(all, any, not), operand, async (combine, operandFilter) => {
        const found = await acme.segments.query({ filter: combine(operandFilter), size: 0 });
        expect(found.totalElements).toBeLessThanOrEqual(1);
      }),
      runs(300),
    );
  });

  it("match the same users as a filter written by hand", async () => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: "ada@example.com", metadata: { city: "Vienna" } });
    await acme.users.create({ email: "bob@example.com", metadata: { city: "Graz" } });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(id, "vip");
    const inVienna = loyalty.metadata({ path: ["city"], equals: "Vienna" });
    const filter = all(tag("vip"), inVienna, not(loyalty.wallet({ installed: true })));
    expect(filter).toEqual({
      operator: "AND",
      conditions: [{ slug: "vip" }, { metadata: { path: ["city"], equals: "Vienna" } }],
      filters: [{ operator: "NOT", conditions: [{ wallet: { installed: true } }] }],
    });
    expect((await acme.segments.query({ filter })).content).toMatchObject([{ id }]);
    expect((await acme.segments.query({ filter: not(inVienna) })).totalElements).toBe(1);
    expect((await acme.tags.query({ filter: any(tag("vip"), not(tag("vip"))) })).totalElements).toBe(2);
  });
});
