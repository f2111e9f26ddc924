import fc from "fast-check";
import { isLoyaltyError, type Organization, type StampReceipt } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { sumOf } from "./ledger-sum.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

type Write = (stamps: Organization["stamps"], passId: string) => Promise<StampReceipt>;

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
  fc.nat({ max: 40 }).map(
    (nth): Write =>
      async (stamps, id) => {
        const { content } = await stamps.history(id, { size: 200 });
        return stamps.reverse(id, { entryId: content[nth % content.length]?.id ?? "none" });
      },
  ),
);

describe.each(everyAdapter)("a stamp card on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);

  it("always equals the sum of its entries, even after refused writes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(writes, { maxLength: 30 }),
        async (maxStamps, list) => {
          const acme = newOrganization();
          const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });
          const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
          let count = 0;
          let state = await acme.stamps.state(id);
          for (const write of list) {
            try {
              const { entryId, completions, ...after } = await write(acme.stamps, id);
              const [newest] = (await acme.stamps.history(id, { size: 1 })).content;
              expect(newest).toMatchObject({ id: entryId, completions });
              state = after;
              count += 1;
            } catch (error) {
              if (!isLoyaltyError(error)) throw error;
            }
            expect(await acme.stamps.state(id)).toEqual(state);
            expect(state.currentStamps).toBeGreaterThanOrEqual(0);
            expect(state.currentStamps).toBeLessThan(maxStamps);
            expect(state.rewardsAvailable).toBeGreaterThanOrEqual(0);
            expect(state.timesCompleted).toBeGreaterThanOrEqual(state.rewardsAvailable);
            expect(state.totalStampsCollected).toBeGreaterThanOrEqual(0);
          }
          const { content, totalElements } = await acme.stamps.history(id, { size: 200 });
          const entries = content.toReversed();
          expect(totalElements).toBe(count);
          expect(state).toMatchObject(sumOf(entries, maxStamps));
          let before = 0;
          for (const { stampsBefore, stampsAfter, delta, completions } of entries) {
            expect(stampsBefore).toBe(before);
            expect(stampsAfter).toBe(stampsBefore + delta - maxStamps * completions);
            before = stampsAfter;
          }
        },
      ),
      storedRuns(40),
    );
  });

  it("is as if an entry had never existed, once the entry is reversed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        async (maxStamps, stampCounts, nth) => {
          const acme = newOrganization();
          const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });
          const createCard = async (counts: readonly number[]) => {
            const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
            const added = [];
            for (const count of counts) added.push(await acme.stamps.add(pass.id, { count }));
            return { id: pass.id, added };
          };
          const remaining = stampCounts.toSpliced(nth % stampCounts.length, 1);
          const [{ id, added }, other] = [await createCard(stampCounts), await createCard(remaining)];
          const entryId = added[nth % stampCounts.length]?.entryId ?? "none";
          const { lastStampAt: _, walletPassId: __, ...expected } = await acme.stamps.state(other.id);
          try {
            expect(await acme.stamps.reverse(id, { entryId })).toMatchObject(expected);
          } catch (error) {
            // Stamps that a later entry needed to fill the card can't be taken back.
            if (!isLoyaltyError(error, "not_enough_stamps")) throw error;
            expect(Math.floor((added.at(-1)?.totalStampsCollected ?? 0) / maxStamps)).toBeGreaterThan(
              expected.timesCompleted,
            );
          }
        },
      ),
      storedRuns(30),
    );
  });

  it("loses no stamp when many tills write at the same time", async () => {
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
      storedRuns(20),
    );
  });
});
