import fc from "fast-check";
import type { Organization, TagFilter } from "loyalty-kit";
import { beforeAll, describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { arbitraryTagFilters } from "./arbitraries.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

const slugs = ["a", "b", "c", "d"];
const filters = arbitraryTagFilters([...slugs, "unknown"]);

const and = (...operands: TagFilter[]): TagFilter => ({ operator: "AND", filters: operands });
const or = (...operands: TagFilter[]): TagFilter => ({ operator: "OR", filters: operands });
const not = (...operands: TagFilter[]): TagFilter => ({ operator: "NOT", filters: operands });

/** Pairs of filters that find the same users, whatever a, b and c are. */
const laws: Record<string, (a: TagFilter, b: TagFilter, c: TagFilter) => [TagFilter, TagFilter]> = {
  "De Morgan: NOT of two filters is the AND of their NOTs": (a, b) => [not(a, b), and(not(a), not(b))],
  "De Morgan: NOT of an AND is the OR of the NOTs": (a, b) => [not(and(a, b)), or(not(a), not(b))],
  "double NOT changes nothing": (a) => [not(not(a)), a],
  "AND is idempotent": (a) => [and(a, a), a],
  "OR is idempotent": (a) => [or(a, a), a],
  "AND absorbs": (a, b) => [and(a, or(a, b)), a],
  "OR absorbs": (a, b) => [or(a, and(a, b)), a],
  "AND commutes": (a, b, c) => [and(a, b, c), and(c, a, b)],
  "OR commutes": (a, b, c) => [or(a, b, c), or(c, a, b)],
  "NOT commutes": (a, b, c) => [not(a, b, c), not(c, a, b)],
  "AND is associative": (a, b, c) => [and(a, and(b, c)), and(and(a, b), c)],
  "OR is associative": (a, b, c) => [or(a, or(b, c)), or(or(a, b), c)],
  "AND distributes over OR": (a, b, c) => [and(a, or(b, c)), or(and(a, b), and(a, c))],
  "OR distributes over AND": (a, b, c) => [or(a, and(b, c)), and(or(a, b), or(a, c))],
  "NOT of several filters is NOT of their OR": (a, b, c) => [not(a, b, c), not(or(a, b, c))],
};

describe.each(everyAdapter)("tag filters on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);
  let acme: Organization;
  let everybody: string[];
  const findUserIds = async (filter: TagFilter): Promise<string[]> =>
    (await acme.tags.query({ filter, size: 100 })).content.map(({ id }) => id);

  beforeAll(async () => {
    acme = newOrganization();
    everybody = [];
    for (const name of slugs) await acme.tags.create({ name });
    for (let bits = 0; bits < 2 ** slugs.length; bits += 1) {
      const { id } = await acme.users.create({ email: `${bits}@example.com` });
      everybody.push(id);
      for (const slug of slugs.filter((_, bit) => (bits >> bit) % 2 === 1)) await acme.tags.assign(id, slug);
    }
  });

  it.each(Object.entries(laws))("%s", async (_law, sides) => {
    await fc.assert(
      fc.asyncProperty(filters, filters, filters, async (a, b, c) => {
        const [left, right] = sides(a, b, c);
        expect(await findUserIds(left)).toEqual(await findUserIds(right));
      }),
      storedRuns(20),
    );
  });

  it("a filter and its NOT split the organization", async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (a) => {
        const parts = [...(await findUserIds(a)), ...(await findUserIds(not(a)))];
        expect(parts.sort()).toEqual(everybody.toSorted());
        expect(await findUserIds(and(a, not(a)))).toEqual([]);
        expect(await findUserIds(or(a, not(a)))).toEqual(everybody);
      }),
      storedRuns(30),
    );
  });

  it("a condition is equivalent to a filter with only that condition", async () => {
    const operators = fc.constantFrom("AND" as const, "OR" as const, "NOT" as const);
    const conditions = fc.array(fc.record({ slug: fc.constantFrom(...slugs, "unknown") }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(operators, operators, conditions, fc.nat(), async (operator, inner, leaves, place) => {
        const at = place % leaves.length;
        const wrapped = leaves.map(
          (leaf): TagFilter => ({ operator: inner === "OR" ? "OR" : "AND", conditions: [leaf] }),
        );
        const mixed = { operator, conditions: leaves.slice(0, at), filters: wrapped.slice(at) };
        expect(await findUserIds(mixed)).toEqual(await findUserIds({ operator, conditions: leaves }));
        expect(await findUserIds({ operator, filters: wrapped })).toEqual(
          await findUserIds({ operator, conditions: leaves }),
        );
      }),
      storedRuns(30),
    );
  });
});
