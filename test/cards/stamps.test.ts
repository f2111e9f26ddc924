import type { Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";

async function createPass(acme: Organization, maxStamps = 10): Promise<string> {
  const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });
  return (await acme.passes.create(card.id, { user: { email: someEmail() } })).id;
}

describe.each(everyAdapter)("stamps on $name", ({ open }) => {
  it("are zero on a new pass", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme);
    const { templateId } = await acme.passes.get(id);
    expect(await acme.stamps.state(id)).toEqual({
      object: "stamp_card",
      walletPassId: id,
      templateId,
      currentStamps: 0,
      maxStamps: 10,
      totalStampsCollected: 0,
      timesCompleted: 0,
      rewardsAvailable: 0,
      lastStampAt: null,
    });
    expect(await acme.stamps.history(id)).toEqual({
      content: [],
      totalElements: 0,
      totalPages: 0,
      number: 0,
      size: 50,
    });
  });

  it("earn a reward each time they fill the card, and the surplus carries over", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 4);
    expect(await acme.stamps.add(id)).toMatchObject({ currentStamps: 1, rewardsAvailable: 0 });
    expect(await acme.stamps.add(id, { count: 3 })).toMatchObject({ currentStamps: 0, rewardsAvailable: 1 });
    const fullCard = {
      currentStamps: 2,
      timesCompleted: 26,
      rewardsAvailable: 26,
      totalStampsCollected: 106,
    };
    await acme.stamps.add(id, { count: 100 });
    expect(await acme.stamps.add(id, { count: 2 })).toMatchObject(fullCard);
    expect(await acme.stamps.state(id)).toMatchObject(fullCard);
    const passId = await createPass(acme, 1);
    expect(await acme.stamps.add(passId, { count: 3 })).toMatchObject({
      currentStamps: 0,
      timesCompleted: 3,
    });
  });

  it("can be removed, set, reset and redeemed, with an entry for each", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    await acme.stamps.add(id, { count: 7, note: "Receipt 1" });
    await acme.stamps.remove(id, { count: 2, note: "Returned" });
    await acme.stamps.set(id, { stamps: 4, note: null });
    await acme.stamps.reset(id);
    await acme.stamps.reset(id);
    await acme.stamps.redeem(id);
    const state = { currentStamps: 0, timesCompleted: 1, rewardsAvailable: 0, totalStampsCollected: 7 };
    expect(await acme.stamps.state(id)).toMatchObject(state);
    const { content } = await acme.stamps.history(id);
    expect(
      content.map(({ type, delta, stampsBefore, stampsAfter, completions, note }) => [
        type,
        delta,
        stampsBefore,
        stampsAfter,
        completions,
        note,
      ]),
    ).toEqual([
      ["redeemed", 0, 0, 0, 0, null],
      ["reset", 0, 0, 0, 0, null],
      ["reset", -4, 4, 0, 0, null],
      ["set", 4, 0, 4, 0, null],
      ["removed", -2, 2, 0, 0, "Returned"],
      ["added", 7, 0, 2, 1, "Receipt 1"],
    ]);
    expect(
      content.every((entry) => entry.object === "stamp_entry" && /^ste_[0-9a-f-]{36}$/.test(entry.id)),
    ).toBe(true);
  });

  it("set lastStampAt to the time of the entry, but only when they are added", async () => {
    const { acme } = openAcme({ storage: await open(), clock: createTickingClock() });
    const id = await createPass(acme, 5);
    const { lastStampAt } = await acme.stamps.add(id, { count: 6 });
    expect((await acme.stamps.remove(id)).lastStampAt).toBe(lastStampAt);
    expect((await acme.stamps.set(id, { stamps: 3 })).lastStampAt).toBe(lastStampAt);
    expect((await acme.stamps.reset(id)).lastStampAt).toBe(lastStampAt);
    expect((await acme.stamps.redeem(id)).lastStampAt).toBe(lastStampAt);
    const entry = (await acme.stamps.history(id)).content.at(-1);
    expect(entry).toMatchObject({ type: "added", createdAt: lastStampAt });
  });

  it("aren't changed by an invalid call, which leaves no entry", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    await acme.stamps.add(id, { count: 2 });
    const before = await acme.stamps.state(id);
    const conflictError = (code: string) => ({ code, params: null });
    expect(await getErrorDetail(acme.stamps.remove(id, { count: 3 }))).toEqual(
      conflictError("not_enough_stamps"),
    );
    expect(await getErrorDetail(acme.stamps.redeem(id))).toEqual(conflictError("no_reward_available"));
    for (const stamps of [-1, 5, 6, 1_000]) {
      expect(await getRefusedFields(acme.stamps.set(id, { stamps }))).toEqual(["stamps"]);
    }
    for (const count of [0, -1, 101]) {
      expect(await getRefusedFields(acme.stamps.add(id, { count }))).toEqual(["count"]);
      expect(await getRefusedFields(acme.stamps.remove(id, { count }))).toEqual(["count"]);
    }
    expect(await getErrorDetail(acme.stamps.add(id, { count: 1.5 }))).toEqual(wrongType("count"));
    expect(await acme.stamps.state(id)).toEqual(before);
    expect((await acme.stamps.history(id)).totalElements).toBe(1);
    expect((await acme.stamps.set(id, { stamps: 4 })).currentStamps).toBe(4);
    expect((await acme.stamps.set(id, { stamps: 0 })).currentStamps).toBe(0);
  });

  it("are removed by reversing their entry, which works only once", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    const first = await acme.stamps.add(id, { count: 2 });
    const { entryId } = await acme.stamps.add(id, { count: 4 });
    const reversal = await acme.stamps.reverse(id, { entryId, note: "Wrong card" });
    expect(reversal).toEqual({ ...first, entryId: reversal.entryId, completions: -1 });
    expect(await acme.stamps.history(id, { size: 1 })).toMatchObject({
      content: [{ id: reversal.entryId, type: "reversed", reverses: entryId, delta: -4, note: "Wrong card" }],
      totalElements: 3,
    });
    const conflictError = (code: string) => ({ code, params: null });
    expect(await getErrorDetail(acme.stamps.reverse(id, { entryId }))).toEqual(
      conflictError("already_reversed"),
    );
    const repeatedReversal = { entryId: reversal.entryId };
    expect(await getErrorDetail(acme.stamps.reverse(id, repeatedReversal))).toEqual(
      conflictError("not_reversible"),
    );
    expect((await acme.stamps.history(id)).totalElements).toBe(3);
  });

  it("keep the newest lastStampAt when the clock is set back", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    const newest = clock.timestamp;
    await acme.stamps.add(id);
    clock.move(-60_000);
    expect(await acme.stamps.add(id)).toMatchObject({ currentStamps: 2, lastStampAt: newest });
    expect(await acme.stamps.state(id)).toMatchObject({ lastStampAt: newest });
  });

  it("are restored, and rewards too, when the entry that took them is reversed", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    const before = await acme.stamps.add(id, { count: 7 });
    const writes = [
      () => acme.stamps.remove(id),
      () => acme.stamps.set(id, { stamps: 4 }),
      () => acme.stamps.reset(id),
      () => acme.stamps.redeem(id, { note: "Free coffee" }),
    ];
    for (const write of writes) {
      const { entryId } = await write();
      expect(await acme.stamps.reverse(id, { entryId })).toEqual({
        ...before,
        entryId: expect.stringMatching(/^ste_/),
        completions: 0,
      });
    }
    const [, redemption] = (await acme.stamps.history(id)).content;
    expect(redemption).toMatchObject({ type: "redeemed", note: "Free coffee", reverses: null });
  });

  it("that are restored complete the card if there are enough now", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    await acme.stamps.add(id, { count: 4 });
    const { entryId } = await acme.stamps.reset(id);
    await acme.stamps.add(id, { count: 3 });
    expect(await acme.stamps.reverse(id, { entryId })).toMatchObject({
      currentStamps: 2,
      timesCompleted: 1,
      rewardsAvailable: 1,
      completions: 1,
    });
    const { content } = await acme.events.list({ types: ["stamp.reversed", "stamp_card.completed"] });
    expect(content.map(({ type }) => type)).toEqual(["stamp.reversed", "stamp_card.completed"]);
    expect(content[0]?.data).toMatchObject({ reverses: entryId, currentStamps: 2 });
  });

  it("can't be reversed after they were removed or their reward was redeemed, and nothing changes", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 5);
    const { entryId: filling } = await acme.stamps.add(id, { count: 5 });
    const { entryId: redemption } = await acme.stamps.redeem(id);
    const { entryId: adding } = await acme.stamps.add(id, { count: 3 });
    await acme.stamps.remove(id, { count: 1 });
    const before = await acme.stamps.state(id);
    const reverseErrorCode = async (entryId: string) =>
      (await getErrorDetail(acme.stamps.reverse(id, { entryId }))).code;
    expect(await reverseErrorCode(filling)).toBe("reward_already_redeemed");
    expect(await reverseErrorCode(adding)).toBe("not_enough_stamps");
    expect(await reverseErrorCode("none")).toBe("resource_not_found");
    const other = await createPass(acme, 5);
    expect(await getErrorDetail(acme.stamps.reverse(other, { entryId: adding }))).toEqual(notFound);
    expect(await getRefusedFields(acme.stamps.reverse(id, untyped({})))).toEqual(["entryId"]);
    expect(await acme.stamps.state(id)).toEqual(before);
    await acme.stamps.reverse(id, { entryId: redemption });
    expect(await acme.stamps.reverse(id, { entryId: filling })).toMatchObject({
      currentStamps: 2,
      timesCompleted: 0,
      rewardsAvailable: 0,
      totalStampsCollected: 3,
    });
  });

  it("that are added to one pass at the same time are all counted", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 7);
    await Promise.all(Array.from({ length: 20 }, () => acme.stamps.add(id)));
    expect(await acme.stamps.state(id)).toMatchObject({ currentStamps: 6, timesCompleted: 2 });
    const { content } = await acme.stamps.history(id);
    expect(content.map(({ stampsBefore }) => stampsBefore).toReversed()).toEqual(
      Array.from({ length: 20 }, (_, at) => at % 7),
    );
  });

  it("have a paged history, with at most 200 entries a page", async () => {
    const { acme } = openAcme({ storage: await open() });
    const id = await createPass(acme, 100);
    for (let at = 0; at < 7; at += 1) await acme.stamps.add(id);
    const page = await acme.stamps.history(id, { page: 1, size: 3 });
    expect(page).toMatchObject({ totalElements: 7, totalPages: 3, number: 1, size: 3 });
    expect(page.content.map(({ stampsAfter }) => stampsAfter)).toEqual([4, 3, 2]);
    expect(Object.keys(page).sort()).toEqual(["content", "number", "size", "totalElements", "totalPages"]);
    expect(await acme.stamps.history(id, { page: 9, size: 500 })).toMatchObject({ content: [], size: 200 });
    expect(await getRefusedFields(acme.stamps.history(id, { page: -1, size: 0 }))).toEqual(["page", "size"]);
  });
});

describe("stamps of a pass that isn't a stamp card", () => {
  it("fail with a conflict before a value is checked against the card", async () => {
    const { acme } = openAcme();
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    const { stamps } = acme;
    for (const call of [
      () => stamps.state(id),
      () => stamps.history(id),
      () => stamps.add(id),
      () => stamps.remove(id),
      () => stamps.set(id, { stamps: 1_000 }),
      () => stamps.reset(id),
      () => stamps.redeem(id),
      () => stamps.reverse(id, { entryId: "none" }),
    ]) {
      expect(await getErrorDetail(call())).toEqual({ code: "not_a_stamp_card", params: null });
    }
    expect(await getErrorDetail(stamps.set("none", { stamps: 1_000 }))).toEqual(notFound);
    expect(await getRefusedFields(stamps.set("none", { stamps: -1 }))).toEqual(["stamps"]);
    expect(await getErrorDetail(stamps.add(id, untyped(5)))).toEqual({
      code: "malformed_request",
      params: null,
    });
  });
});

/** Creates a clock that advances at each reading. */
function createTickingClock(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => {
    now += 1;
    return now;
  };
}
