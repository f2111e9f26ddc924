import { LoyaltyService, type Organization } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { sharedDatabases } from "../kit/shared-databases.js";
import { createPhone } from "../wallets/some-shop.js";
import { fillEarning, type PutPurchase, toFields } from "./till.js";

/** Returns the results of concurrent calls, and the codes of those that were refused. */
async function settle<Result>(calls: readonly Promise<Result>[]) {
  const outcomes = await Promise.allSettled(calls);
  return {
    results: outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    codes: outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : [])),
  };
}

describe.each(Object.entries(sharedDatabases))("two services on %s", (_, createDatabase) => {
  /** Opens the same organization in two services. Ada's card earns 1 point for each 1.00. */
  async function openBoth() {
    const open = await createDatabase();
    const services = [await open(), await open()].map((storage) => new LoyaltyService({ storage }));
    onTestFinished(async () => {
      for (const loyalty of services) await loyalty.close();
    });
    const [acme, other] = services.map((loyalty) => loyalty.organization("acme"));
    if (acme === undefined || other === undefined) throw new Error("there are two services");
    const program = toFields({ earning: fillEarning({ limits: { perDay: 15 } }), points: {} });
    const template = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", ...program });
    const { id: card, userId } = await acme.passes.create(template.id, {
      user: { email: "ada@example.com" },
    });
    const purchase: PutPurchase = { userId, currency: "EUR", lines: [{ amount: 1_000 }] };
    const both = <Result>(
      times: number,
      call: (organization: Organization, nth: number) => Promise<Result>,
    ) => settle(Array.from({ length: times }, (_, nth) => call(nth % 2 === 0 ? acme : other, nth)));
    return { acme, card, purchase, both };
  }

  it("spend all points of a card only once", async () => {
    const { acme, card, both } = await openBoth();
    await acme.points.add(card, { points: 100 });
    const { results, codes } = await both(50, ({ points }) => points.spend(card, { points: 100 }));
    expect(results).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["not_enough_points"]));
    expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 0, spent: 100 });
  });

  it("record a purchase and its return only once when both receive them", async () => {
    const { acme, card, purchase, both } = await openBoth();
    const { results, codes } = await both(20, ({ purchases }) => purchases.put("till", "1", purchase));
    expect(codes).toEqual([]);
    expect(results.filter(({ isApplied }) => isApplied)).toHaveLength(1);
    expect(await acme.points.state(card)).toMatchObject({ available: 10 });
    const returned = await both(20, ({ purchases }) =>
      purchases.addReturn("till", "1", { returnId: "r", all: true }),
    );
    expect(returned.results.filter(({ isApplied }) => isApplied)).toHaveLength(1);
    expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 0 });
  });

  it("stay within the day's limit for simultaneous purchases", async () => {
    const { acme, card, purchase, both } = await openBoth();
    const { results } = await both(10, ({ purchases }, nth) => purchases.put("till", `${nth}`, purchase));
    const given = results.map(({ effects }) => effects[0]?.units ?? 0);
    expect(given.reduce((sum, units) => sum + units, 0)).toBe(15);
    expect(await acme.points.state(card)).toMatchObject({ available: 15 });
  });

  it("reverse an entry only once", async () => {
    const { acme, card, both } = await openBoth();
    await acme.points.add(card, { points: 10 });
    const { entryId } = await acme.points.spend(card, { points: 10 });
    const { results, codes } = await both(10, ({ points }) => points.reverse(card, { entryId }));
    expect(results).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["already_reversed"]));
    expect(await acme.points.state(card)).toMatchObject({ available: 10, spent: 0 });
  });

  it("update each wallet card once when its points become usable, alongside purchases and pushes", async () => {
    const open = await createDatabase();
    const errors: unknown[] = [];
    let now = Date.parse("2026-07-01T10:00:00Z");
    const storages = [await open(), await open()];
    const services = storages.map((storage) => {
      const onError = (error: unknown) => void errors.push(error);
      const loyalty = new LoyaltyService({ storage, clock: () => now, onError });
      const wallets = serviceInternals(loyalty).createWalletBackend(0);
      wallets.attachLinker(() => ({ apple: "https://shop.test/apple", google: null }));
      return { loyalty, wallets, acme: loyalty.organization("acme") };
    });
    onTestFinished(async () => {
      for (const { loyalty } of services) await loyalty.close();
    });
    const [first] = services;
    const [storage] = storages;
    if (first === undefined || storage === undefined) throw new Error("there are two services");
    const program = toFields({ earning: fillEarning({}), points: { pendingDays: 2 } });
    const { acme } = first;
    const template = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", ...program });
    const createCard = async (name: string) => {
      const { id, userId } = await acme.passes.create(template.id, { user: { email: `${name}@shop.test` } });
      await acme.passes.walletLinks(id);
      await first.wallets.devices.register("acme", createPhone(id, name));
      return { id, userId };
    };
    const ada = await createCard("ada");
    const put =
      (userId: string, receipt: string) =>
      ({ purchases }: Organization) =>
        purchases.put("till", receipt, { userId, currency: "EUR", lines: [{ amount: 1_000 }] });
    const cards: string[] = [];
    for (let nth = 0; nth < 20; nth += 1) {
      const { id, userId } = await createCard(`${nth}`);
      await put(userId, `${nth}`)(acme);
      cards.push(id);
    }
    while (await first.wallets.follow("acme"));
    const readRevisions = async () => {
      const known = await runStep(storage.reader("acme").walletCardsOf(cards));
      return new Map(known.map(({ passId, revision }) => [passId, revision]));
    };
    const before = await readRevisions();
    now += 3 * 86_400_000;
    const work = services.flatMap(({ loyalty, acme, wallets }, at) => [
      loyalty.refreshSegments(),
      ...Array.from({ length: 5 }, async (_, nth) => {
        await put(ada.userId, `ada ${at} ${nth}`)(acme);
        await wallets.follow("acme");
        await wallets.devices.register("acme", createPhone(ada.id, `${at} ${nth}`));
        for (const { lease, delivery } of await wallets.claim("acme", "apple", 20)) {
          const outcome = { ...delivery, deviceIds: [], nextAttemptAt: null };
          await wallets.recordResults("acme", "apple", lease, [outcome]);
        }
      }),
    ]);
    await Promise.all(work);
    expect(errors).toEqual([]);
    const after = await readRevisions();
    expect(cards.filter((id) => after.get(id) === before.get(id))).toEqual([]);
    for (const { loyalty, wallets } of services) {
      await loyalty.refreshSegments();
      while (await wallets.follow("acme"));
    }
    expect(await readRevisions()).toEqual(after);
  });
});
