import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostActor } from "../kit/host-actor.js";
import { conflict, invalid, notFound, ok, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { type HttpUnderTest, testOnEachDatabase } from "./every-mount.js";

/** Creates a pass for a card with this many stamps, and functions that call its endpoints. */
async function createCard(http: HttpUnderTest, maxStamps: number) {
  const { acme, call } = await http.createOrganization();
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps });
  const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  const path = `/v1/walletpasses/${pass.id}/stamps`;
  const writeStamps = (kind: string, body?: unknown) => call("POST", `${path}/${kind}`, body);
  const getState = () => call("GET", path);
  const getHistory = (query = "") => call("GET", `${path}/history${query}`);
  const fresh = {
    object: "stamp_card",
    walletPassId: pass.id,
    templateId: template.id,
    currentStamps: 0,
    maxStamps,
    totalStampsCollected: 0,
    timesCompleted: 0,
    rewardsAvailable: 0,
    lastStampAt: null as string | null,
  };
  return { acme, call, template, pass, path, writeStamps, getState, getHistory, fresh };
}

/** Creates a card with four rewards, and functions that send requests to it. */
async function createCardWithRewards(http: HttpUnderTest) {
  const { acme, send, call } = await http.createOrganization();
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 1 });
  const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  await acme.stamps.add(id, { count: 4 });
  const path = `/v1/walletpasses/${id}/stamps`;
  return { path, send, writeStamps: (kind: string, body?: unknown) => call("POST", `${path}/${kind}`, body) };
}

/** Writes to a stamp card: a kind and an amount. */
const writes = fc.oneof(
  fc.record({ kind: fc.constant("add"), amount: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("remove"), amount: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant("set"), amount: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constantFrom("reset", "redeem"), amount: fc.constant(0) }),
);

const entryTypes: Readonly<Record<string, string>> = {
  add: "added",
  remove: "removed",
  set: "set",
  reset: "reset",
  redeem: "redeemed",
};

testOnEachDatabase((http) => {
  const timestampNow = () => new Date(http.clock.now()).toISOString();

  describe("a stamp card", () => {
    test("starts empty", async () => {
      const { getState, getHistory, fresh } = await createCard(http, 10);
      expect(await getState()).toEqual(ok(fresh));
      expect(await getHistory()).toEqual(
        ok({ content: [], totalElements: 0, totalPages: 0, number: 0, size: 50 }),
      );
    });

    test("gets one stamp by default", async () => {
      const { writeStamps, getState, fresh } = await createCard(http, 10);
      http.clock.move(7);
      const oneStamp = { ...fresh, currentStamps: 1, totalStampsCollected: 1, lastStampAt: timestampNow() };
      const receipt = { entryId: expect.stringMatching(/^ste_/), completions: 0 };
      expect(await writeStamps("add", {})).toEqual(ok({ ...oneStamp, ...receipt }));
      expect(await getState()).toEqual(ok(oneStamp));
      const six = { ...oneStamp, currentStamps: 6, totalStampsCollected: 6 };
      expect(await writeStamps("add", { count: 5, note: null })).toEqual(ok({ ...six, ...receipt }));
    });

    test("that is full gives a reward, and carries over the extra stamps", async () => {
      const { writeStamps, fresh } = await createCard(http, 10);
      await writeStamps("add", { count: 9 });
      expect(await writeStamps("add", { count: 1 })).toMatchObject(
        ok({ currentStamps: 0, totalStampsCollected: 10, timesCompleted: 1, rewardsAvailable: 1 }),
      );
      expect(await writeStamps("add", { count: 35 })).toEqual(
        ok({
          ...fresh,
          currentStamps: 5,
          totalStampsCollected: 45,
          timesCompleted: 4,
          rewardsAvailable: 4,
          lastStampAt: timestampNow(),
          entryId: expect.stringMatching(/^ste_/),
          completions: 3,
        }),
      );
    });

    test("of one stamp is full with each stamp", async () => {
      const { writeStamps } = await createCard(http, 1);
      expect(await writeStamps("add", { count: 100 })).toMatchObject(
        ok({ currentStamps: 0, timesCompleted: 100, rewardsAvailable: 100 }),
      );
      expect(await writeStamps("set", { stamps: 0 })).toMatchObject({ status: 200 });
      expect(await writeStamps("set", { stamps: 1 })).toEqual(invalid("stamps"));
    });

    test("loses stamps, but not more than it has", async () => {
      const { writeStamps, getState, getHistory } = await createCard(http, 10);
      await writeStamps("add", { count: 13 });
      expect(await writeStamps("remove", {})).toMatchObject(
        ok({ currentStamps: 2, totalStampsCollected: 13, timesCompleted: 1, rewardsAvailable: 1 }),
      );
      const before = await getState();
      expect(await writeStamps("remove", { count: 3 })).toEqual(conflict("not_enough_stamps"));
      expect(await getState()).toEqual(before);
      expect(await getHistory()).toMatchObject(ok({ totalElements: 2 }));
      expect(await writeStamps("remove", { count: 2 })).toMatchObject(ok({ currentStamps: 0 }));
    });

    test("can be set to 0 up to one less than its maximum", async () => {
      const { writeStamps } = await createCard(http, 10);
      for (const stamps of [9, 0, 9]) {
        expect(await writeStamps("set", { stamps })).toMatchObject(
          ok({ currentStamps: stamps, totalStampsCollected: 0, timesCompleted: 0, lastStampAt: null }),
        );
      }
      for (const stamps of [10, -1, 1_000])
        expect(await writeStamps("set", { stamps })).toEqual(invalid("stamps"));
      expect(await writeStamps("set", {})).toEqual(invalid("stamps"));
      expect(await writeStamps("set", { stamps: null })).toEqual(wrongType("stamps"));
    });

    test("retains its rewards when it is reset", async () => {
      const { writeStamps } = await createCard(http, 10);
      await writeStamps("add", { count: 13 });
      for (let times = 0; times < 2; times += 1) {
        expect(await writeStamps("reset")).toMatchObject(
          ok({ currentStamps: 0, totalStampsCollected: 13, timesCompleted: 1, rewardsAvailable: 1 }),
        );
      }
    });

    test("hands out each reward once", async () => {
      const { writeStamps, getHistory } = await createCard(http, 10);
      expect(await writeStamps("redeem")).toEqual(conflict("no_reward_available"));
      await writeStamps("add", { count: 21 });
      for (const rewardsAvailable of [1, 0]) {
        expect(await writeStamps("redeem")).toMatchObject(
          ok({ currentStamps: 1, timesCompleted: 2, rewardsAvailable }),
        );
      }
      expect(await writeStamps("redeem")).toEqual(conflict("no_reward_available"));
      expect(await getHistory()).toMatchObject(ok({ totalElements: 3 }));
    });

    test("accepts 1 to 100 stamps at a time", async () => {
      const { writeStamps } = await createCard(http, 100);
      for (const kind of ["add", "remove"]) {
        for (const count of [0, 101, -1])
          expect(await writeStamps(kind, { count })).toEqual(invalid("count"));
        for (const count of [1.5, "1", null])
          expect(await writeStamps(kind, { count })).toEqual(wrongType("count"));
      }
      expect(await writeStamps("add", { count: 100 })).toMatchObject({ status: 200 });
    });

    test("gets stamps without a change of its pass, template or user", async () => {
      const { call, writeStamps, pass, template } = await createCard(http, 2);
      const user = await call("GET", `/v1/users/${pass.userId}`);
      http.clock.move(1_000);
      await writeStamps("add", { count: 3 });
      expect(await call("GET", `/v1/walletpasses/${pass.id}`)).toEqual(ok(pass));
      expect(await call("GET", `/v1/templates/${template.id}`)).toEqual(ok(template));
      expect(await call("GET", `/v1/users/${pass.userId}`)).toEqual(user);
    });

    test("records the last time that stamps were added", async () => {
      const { writeStamps, getState } = await createCard(http, 3);
      await writeStamps("add", { count: 4 });
      const lastStampAt = timestampNow();
      for (const [kind, body] of [["set", { stamps: 2 }], ["remove", {}], ["reset"], ["redeem"]] as const) {
        http.clock.move(1_000);
        expect(await writeStamps(kind, body)).toMatchObject(ok({ lastStampAt }));
      }
      await writeStamps("add", {});
      expect(await getState()).toMatchObject(ok({ lastStampAt: timestampNow() }));
    });

    test("gets every stamp of concurrent writes", async () => {
      const { writeStamps, getState, getHistory } = await createCard(http, 7);
      await Promise.all(Array.from({ length: 20 }, () => writeStamps("add", {})));
      expect(await getState()).toMatchObject(
        ok({ currentStamps: 6, timesCompleted: 2, rewardsAvailable: 2, totalStampsCollected: 20 }),
      );
      expect(await getHistory()).toMatchObject(ok({ totalElements: 20 }));
      const redemptions = await Promise.all(Array.from({ length: 5 }, () => writeStamps("redeem")));
      expect(redemptions.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409]);
    });
  });

  describe("a pass that is not a stamp card", () => {
    test("has no stamps to read or write", async () => {
      const { acme, call } = await http.createOrganization();
      const template = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
      const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
      const path = `/v1/walletpasses/${pass.id}/stamps`;
      expect(await call("GET", path)).toEqual(conflict("not_a_stamp_card"));
      expect(await call("GET", `${path}/history`)).toEqual(conflict("not_a_stamp_card"));
      for (const kind of ["add", "remove", "reset", "redeem"]) {
        expect(await call("POST", `${path}/${kind}`, {})).toEqual(conflict("not_a_stamp_card"));
      }
      expect(await call("POST", `${path}/set`, { stamps: 1_000 })).toEqual(conflict("not_a_stamp_card"));
    });
  });

  describe("an unknown pass", () => {
    test("has no stamps to read or write", async () => {
      const { call } = await http.createOrganization();
      const path = "/v1/walletpasses/wp_unknown/stamps";
      expect(await call("GET", path)).toEqual(notFound);
      expect(await call("GET", `${path}/history`)).toEqual(notFound);
      for (const kind of ["add", "remove", "reset", "redeem"]) {
        expect(await call("POST", `${path}/${kind}`, {})).toEqual(notFound);
      }
      expect(await call("POST", `${path}/set`, { stamps: 1_000 })).toEqual(notFound);
      expect(await call("POST", `${path}/unknown`, {})).toEqual(notFound);
    });
  });

  describe("a reversal", () => {
    test("reverses an entry once, and returns the result", async () => {
      const { writeStamps, getState, getHistory } = await createCard(http, 5);
      const response = await writeStamps("add", { count: 7 });
      expect(response).toMatchObject(ok({ currentStamps: 2, rewardsAvailable: 1, completions: 1 }));
      const entryId = readText(response, "entryId");
      const reversal = await writeStamps("reverse", { entryId, note: "Wrong card" });
      expect(reversal).toMatchObject(ok({ currentStamps: 0, rewardsAvailable: 0, completions: -1 }));
      expect(await getHistory("?size=1")).toMatchObject(
        ok({ content: [{ id: readText(reversal, "entryId"), reverses: entryId, note: "Wrong card" }] }),
      );
      const before = await getState();
      expect(await writeStamps("reverse", { entryId })).toEqual(conflict("already_reversed"));
      expect(await writeStamps("reverse", { entryId: readText(reversal, "entryId") })).toEqual(
        conflict("not_reversible"),
      );
      expect(await writeStamps("reverse", { entryId: "none" })).toEqual(notFound);
      expect(await writeStamps("reverse", {})).toEqual(invalid("entryId"));
      expect(await writeStamps("reverse", { entryId: 5, note: 5 })).toEqual(wrongType("entryId", "note"));
      expect(await getState()).toEqual(before);
    });

    test("is refused if the reward is redeemed, or the stamps are gone", async () => {
      const { writeStamps } = await createCard(http, 5);
      const fillingId = readText(await writeStamps("add", { count: 5 }), "entryId");
      const redemption = readText(await writeStamps("redeem"), "entryId");
      expect(await writeStamps("reverse", { entryId: fillingId })).toEqual(
        conflict("reward_already_redeemed"),
      );
      const addingId = readText(await writeStamps("add", { count: 1 }), "entryId");
      await writeStamps("reset");
      expect(await writeStamps("reverse", { entryId: addingId })).toEqual(conflict("not_enough_stamps"));
      expect(await writeStamps("reverse", { entryId: redemption })).toMatchObject(
        ok({ rewardsAvailable: 1 }),
      );
    });
  });

  describe("a redemption", () => {
    test("needs no body, and accepts one with a note", async () => {
      const { writeStamps, path, send } = await createCardWithRewards(http);
      expect(await writeStamps("redeem")).toMatchObject(ok({ rewardsAvailable: 3 }));
      const headers = { "content-type": "application/json" };
      for (const body of ["{}", '{"note":null}']) {
        expect(await send("POST", `${path}/redeem`, { headers, body })).toMatchObject({ status: 200 });
      }
      for (const body of ["[]", "5", "{", '"x"']) {
        const response = await send("POST", `${path}/redeem`, { headers, body });
        expect(response).toMatchObject({ status: 400 });
      }
      expect(await writeStamps("redeem", { note: "x".repeat(513) })).toEqual(invalid("note"));
    });
  });

  describe("the stamp history", () => {
    test("contains the requested changes and their results, newest first", async () => {
      const { writeStamps, getHistory } = await createCard(http, 5);
      await writeStamps("add", { count: 7, note: " till 7 " });
      http.clock.move(10);
      await writeStamps("remove", { count: 1, note: "" });
      await writeStamps("set", { stamps: 4, note: "e\u0301" });
      await writeStamps("reset");
      await writeStamps("redeem", { note: "Free" });
      const entry = {
        id: expect.stringMatching(/^ste_/),
        object: "stamp_entry",
        note: null,
        reverses: null,
        purchase: null,
        actor: { ...hostActor, kind: "token", id: expect.stringMatching(/^akt_/) },
      };
      const later = { createdAt: timestampNow() };
      const earlier = { createdAt: new Date(http.clock.now() - 10).toISOString() };
      const add = {
        type: "added",
        delta: 7,
        stampsBefore: 0,
        stampsAfter: 2,
        completions: 1,
        note: " till 7 ",
      };
      const remove = {
        type: "removed",
        delta: -1,
        stampsBefore: 2,
        stampsAfter: 1,
        completions: 0,
        note: "",
      };
      const expectedEntry = {
        type: "set",
        delta: 3,
        stampsBefore: 1,
        stampsAfter: 4,
        completions: 0,
        note: "e\u0301",
      };
      const reset = { type: "reset", delta: -4, stampsBefore: 4, stampsAfter: 0, completions: 0 };
      const redeem = {
        type: "redeemed",
        delta: 0,
        stampsBefore: 0,
        stampsAfter: 0,
        completions: 0,
        note: "Free",
      };
      expect(await getHistory()).toEqual(
        ok({
          content: [
            { ...entry, ...redeem, ...later },
            { ...entry, ...reset, ...later },
            { ...entry, ...expectedEntry, ...later },
            { ...entry, ...remove, ...later },
            { ...entry, ...add, ...earlier },
          ],
          totalElements: 5,
          totalPages: 1,
          number: 0,
          size: 50,
        }),
      );
    });

    test("has pages of 50 entries by default, and of at most 200", async () => {
      const { acme, pass, getHistory } = await createCard(http, 100);
      for (let at = 0; at < 51; at += 1) await acme.stamps.add(pass.id, { note: `${at}` });
      const notes = Array.from({ length: 51 }, (_, at) => ({ note: `${50 - at}` }));
      const totals = { totalElements: 51, totalPages: 2, size: 50 };
      expect(await getHistory()).toMatchObject(ok({ content: notes.slice(0, 50), ...totals, number: 0 }));
      expect(await getHistory("?page=1")).toMatchObject(
        ok({ content: notes.slice(50), ...totals, number: 1 }),
      );
      expect(await getHistory("?page=2")).toMatchObject(ok({ content: [], ...totals, number: 2 }));
      expect(await getHistory("?page=2&size=7")).toMatchObject(ok({ content: notes.slice(14, 21), size: 7 }));
      expect(await getHistory("?size=201")).toMatchObject(ok({ content: notes, totalPages: 1, size: 200 }));
    });

    test("can't be requested with a size below 1, a negative page or wrong types", async () => {
      const { getHistory } = await createCard(http, 5);
      expect(await getHistory("?size=0&page=-1")).toEqual(invalid("size", "page"));
      expect(await getHistory("?size=x&page=1.5")).toEqual(wrongType("size", "page"));
      expect(await getHistory("?size=1&size=1")).toEqual(wrongType("size"));
    });

    test("adds up to the state, whatever is written", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 12 }), async (sequence) => {
          const { writeStamps, getState, getHistory, fresh } = await createCard(http, 5);
          const entries: Record<string, unknown>[] = [];
          const card = { ...fresh };
          for (const { kind, amount } of sequence) {
            const before = card.currentStamps;
            const body = kind === "set" ? { stamps: amount } : { count: amount };
            const response = await writeStamps(kind, amount === 0 && kind !== "set" ? undefined : body);
            if (kind === "remove" && amount > before) {
              expect(response).toEqual(conflict("not_enough_stamps"));
              continue;
            }
            if (kind === "redeem" && card.rewardsAvailable === 0) {
              expect(response).toEqual(conflict("no_reward_available"));
              continue;
            }
            if (kind === "set" && amount > 4) {
              expect(response).toEqual(invalid("stamps"));
              continue;
            }
            const delta = {
              add: amount,
              remove: -amount,
              set: amount - before,
              reset: 0 - before,
              redeem: 0,
            }[kind];
            const completions = kind === "add" ? Math.floor((before + amount) / 5) : 0;
            card.currentStamps += (delta ?? 0) - 5 * completions;
            card.timesCompleted += completions;
            card.rewardsAvailable += completions - (kind === "redeem" ? 1 : 0);
            if (kind === "add") card.totalStampsCollected += amount;
            if (kind === "add") card.lastStampAt = timestampNow();
            expect(response).toEqual(ok({ ...card, entryId: expect.stringMatching(/^ste_/), completions }));
            const after = card.currentStamps;
            entries.unshift({
              type: entryTypes[kind],
              delta,
              stampsBefore: before,
              stampsAfter: after,
              completions,
            });
          }
          expect(await getState()).toEqual(ok(card));
          expect(await getHistory()).toMatchObject(ok({ content: entries, totalElements: entries.length }));
        }),
        { numRuns: 15 },
      );
    });
  });
});
