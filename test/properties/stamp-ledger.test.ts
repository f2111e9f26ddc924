import fc from "fast-check";
import { isLoyaltyError, type Organization, type StampCard } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";
import { sumOf } from "./ledger-sum.js";
import { newOrganizations } from "./organizations.js";
import { runs } from "./runs.js";

type Write = (stamps: Organization["stamps"], passId: string) => Promise<StampCard>;

const counts = fc.integer({ min: 0, max: 101 });
const writes: fc.Arbitrary<Write> = fc.oneof(
  counts.map(
    (count): Write =>
      (stamps, id) =>
        stamps.add(id, { count }),
  ),
  fc.integer({ min: 1, max: 3 }).map(
    (count): Write =>
      (stamps, id) =>
        stamps.add(id, { count }),
  ),
  counts.map(
    (count): Write =>
      (stamps, id) =>
        stamps.remove(id, { count }),
  ),
  fc.integer({ min: -1, max: 12 }).map(
    (to): Write =>
      (stamps, id) =>
        stamps.set(id, { stamps: to }),
  ),
  fc.constant<Write>((stamps, id) => stamps.reset(id)),
  fc.constant<Write>((stamps, id) => stamps.redeem(id)),
);

describe.each(everyAdapter)("a stamp card on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);

  it("is always what its entries add up to, after refused writes too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(writes, { maxLength: 30 }),
        async (maxStamps, list) => {
          const acme = newOrganization();
          const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });
          const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
          let done = 0;
          let state = await acme.stamps.state(id);
          for (const write of list) {
            try {
              state = await write(acme.stamps, id);
              done += 1;
            } catch (error) {
              if (!isLoyaltyError(error)) throw error;
            }
            expect(await acme.stamps.state(id)).toEqual(state);
            expect(state.currentStamps).toBeGreaterThanOrEqual(0);
            expect(state.currentStamps).toBeLessThan(maxStamps);
            expect(state.rewardsAvailable).toBeGreaterThanOrEqual(0);
          }
          const { content, totalElements } = await acme.stamps.history(id, { size: 200 });
          const entries = content.toReversed();
          expect(totalElements).toBe(done);
          expect(state).toMatchObject(sumOf(entries, maxStamps));
          let before = 0;
          for (const { stampsBefore, stampsAfter, delta, completions } of entries) {
            expect(stampsBefore).toBe(before);
            expect(stampsAfter).toBe(stampsBefore + delta - maxStamps * completions);
            before = stampsAfter;
          }
        },
      ),
      runs(40),
    );
  });

  it("loses no stamp when many tills write at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { maxLength: 20 }), async (list) => {
        const acme = newOrganization();
        const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
        const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
        const outcomes = await Promise.allSettled(list.map((write) => write(acme.stamps, id)));
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") expect(isLoyaltyError(outcome.reason)).toBe(true);
        }
        const { content } = await acme.stamps.history(id, { size: 200 });
        expect(content).toHaveLength(outcomes.filter(({ status }) => status === "fulfilled").length);
        expect(await acme.stamps.state(id)).toMatchObject(sumOf(content.toReversed(), 5));
      }),
      runs(20),
    );
  });
});
