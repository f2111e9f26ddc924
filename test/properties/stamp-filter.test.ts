import fc from "fast-check";
import type { Organization, StampCard } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { splitIntoPages } from "./oracle.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

const MAX_STAMPS = 6;
const TEMPLATES = 3;

/** The passes of each customer: their template, and the number of stamps added. */
const customers = fc.array(
  fc.array(fc.tuple(fc.nat({ max: TEMPLATES - 1 }), fc.nat({ max: 9 })), { maxLength: 4 }),
  { maxLength: 8 },
);

const bound = fc.option(fc.nat({ max: MAX_STAMPS }), { nil: undefined });
const filters = fc
  .record({
    template: fc.nat({ max: TEMPLATES }),
    min: bound,
    max: bound,
    size: fc.integer({ min: 1, max: 4 }),
  })
  .filter(({ min = 0, max = MAX_STAMPS }) => min <= max);

/** Creates two templates of stamp cards and one of another type. @returns the customers' cards, oldest first. */
async function issuePasses(acme: Organization, list: readonly (readonly [number, number])[][]) {
  const templateIds: string[] = [];
  for (let at = 0; at < TEMPLATES; at += 1) {
    const type =
      at === TEMPLATES - 1
        ? ({ type: "LOYALTY_CARD" } as const)
        : ({ type: "STAMP_CARD", maxStamps: MAX_STAMPS } as const);
    templateIds.push((await acme.templates.create({ name: "Card", ...type })).id);
  }
  const owners: { id: string; cards: StampCard[] }[] = [];
  for (const passes of list) {
    const { id } = await acme.users.create({ email: someEmail() });
    const cards: StampCard[] = [];
    for (const [template, count] of passes) {
      const pass = await acme.passes.create(templateIds[template] ?? "", { userId: id });
      if (template === TEMPLATES - 1) continue;
      if (count > 0) await acme.stamps.add(pass.id, { count });
      cards.push(await acme.stamps.state(pass.id));
    }
    owners.push({ id, cards });
  }
  return { templateIds: [...templateIds, "unknown"], owners };
}

describe.each(everyAdapter)("a stamp filter on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);

  it("finds the owners of a card within both bounds, on every page, with all their cards", async () => {
    await fc.assert(
      fc.asyncProperty(customers, fc.array(filters, { minLength: 1 }), async (list, filterList) => {
        const acme = newOrganization();
        const { templateIds, owners } = await issuePasses(acme, list);
        for (const { template, min, max, size } of filterList) {
          const templateId = templateIds[template] ?? "";
          const found = owners.filter(({ cards }) =>
            cards.some(
              (card) =>
                card.templateId === templateId &&
                card.currentStamps >= (min ?? 0) &&
                card.currentStamps <= (max ?? MAX_STAMPS),
            ),
          );
          const bounds = {
            ...(min !== undefined && { minStamps: min }),
            ...(max !== undefined && { maxStamps: max }),
          };
          for (const { number, content } of splitIntoPages(found, size)) {
            const query = { templateId, ...bounds, sort: "createdAt,asc", page: number, size } as const;
            const page = await acme.contacts.list(query);
            expect(page.totalElements).toBe(found.length);
            expect(page.totalPages).toBe(Math.ceil(found.length / size));
            expect(page.content.map(({ id, stampProgress }) => ({ id, stampProgress }))).toEqual(
              content.map(({ id, cards }) => ({ id, stampProgress: cards.map(toProgress) })),
            );
          }
        }
      }),
      storedRuns(25),
    );
  });
});

function toProgress({ templateId, walletPassId, currentStamps, maxStamps, timesCompleted }: StampCard) {
  return { templateId, passId: walletPassId, currentStamps, maxStamps, timesCompleted };
}
