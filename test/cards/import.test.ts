import fc from "fast-check";
import type { ImportCustomer, ImportPass, Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { getByEmail, openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { sumOf } from "../properties/ledger-sum.js";
import { newOrganizations } from "../properties/organizations.js";
import { storedRuns } from "../properties/runs.js";

const createTemplate = (acme: Organization, maxStamps = 10) =>
  acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });

/** Creates a template whose points become usable 3 days after they are earned, and expire after 30 days. */
const createPointTemplate = (acme: Organization) =>
  acme.templates.create({
    name: "Points",
    type: "LOYALTY_CARD",
    points: { pendingDays: 3, expiry: { days: 30 } },
  });

const importResult = (created: number, unchanged = 0) => ({ created, updated: 0, unchanged, failed: [] });

describe.each(everyAdapter)("importing cards on $name", ({ open }) => {
  it("creates customers with codes, balances and times, and a ledger that adds up", async () => {
    const { acme } = openAcme({ storage: await open(), shortLinkBase: "https://go.example" });
    const { id: templateId } = await createTemplate(acme);
    const row: ImportCustomer = {
      email: "ada@example.com",
      name: "Ada",
      tags: ["VIP"],
      createdAt: "2021-05-31",
      passes: [
        {
          templateId,
          code: "4006381333931",
          createdAt: "2021-06-01T10:00:00+02:00",
          lastStampAt: "2025-12-24T18:00:00Z",
          stamps: 7,
          completions: 3,
          rewards: 1,
        },
      ],
    };
    expect(await acme.passes.import([row], { createTags: true })).toEqual(importResult(1));
    const ada = await getByEmail(acme.users, { email: "ada@example.com" });
    expect(ada.createdAt).toBe("2021-05-31T00:00:00.000Z");
    expect((await acme.tags.ofUser(ada.id)).map(({ slug }) => slug)).toEqual(["vip"]);
    const pass = await acme.passes.lookup("4006381333931");
    expect(pass).toMatchObject({
      userId: ada.id,
      qrCodeValue: "https://go.example/4006381333931",
      createdAt: "2021-06-01T08:00:00.000Z",
    });
    const state = await acme.stamps.state(pass.id);
    expect(state).toMatchObject({ currentStamps: 7, timesCompleted: 3, rewardsAvailable: 1 });
    expect(state).toMatchObject({ totalStampsCollected: 37, lastStampAt: "2025-12-24T18:00:00.000Z" });
    const { content } = await acme.stamps.history(pass.id);
    expect(sumOf(content.toReversed(), 10)).toEqual(expect.objectContaining({ currentStamps: 7 }));
    expect(content.map(({ type, note }) => [type, note])).toEqual([
      ["redeemed", "Opening balance"],
      ["redeemed", "Opening balance"],
      ["added", "Opening balance"],
    ]);
    expect(await acme.stamps.add(pass.id, { count: 3 })).toMatchObject({
      rewardsAvailable: 2,
      completions: 1,
    });
  });

  it("adds nothing for a balance, or a part of one, that the row omits", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { id: templateId } = await createTemplate(acme);
    const importCard = async (balance: Omit<ImportPass, "templateId">) => {
      const email = someEmail();
      expect(await acme.passes.import([{ email, passes: [{ templateId, ...balance }] }])).toEqual(
        importResult(1),
      );
      const { id: userId } = await getByEmail(acme.users, { email });
      const [pass] = await acme.passes.ofUser(userId);
      const state = await acme.stamps.state(pass?.id ?? "");
      const { content } = await acme.stamps.history(pass?.id ?? "");
      const entries = content.map(({ type, note }) => [type, note]);
      return { ...state, entries, issuedAt: pass?.createdAt };
    };
    const nothing = { currentStamps: 0, timesCompleted: 0, rewardsAvailable: 0, lastStampAt: null };
    expect(await importCard({})).toMatchObject({ ...nothing, entries: [], issuedAt: clock.timestamp });
    const opening = [["added", "Opening balance"]];
    expect(await importCard({ stamps: 2 })).toMatchObject({
      ...{ ...nothing, currentStamps: 2, lastStampAt: clock.timestamp },
      entries: opening,
    });
    expect(await importCard({ rewards: 2 })).toMatchObject({
      ...{ currentStamps: 0, timesCompleted: 2, rewardsAvailable: 2 },
      entries: opening,
    });
    expect(await importCard({ completions: 1 })).toMatchObject({
      ...{ currentStamps: 0, timesCompleted: 1, rewardsAvailable: 0 },
      entries: [["redeemed", "Opening balance"], ...opening],
    });
    const at = "2024-05-01T10:00:00.000Z";
    expect(await importCard({ history: [{ type: "added", at }] })).toMatchObject({
      ...{ currentStamps: 1, lastStampAt: at, issuedAt: at },
      entries: [["added", null]],
    });
  });

  it("changes nothing when it is repeated, and resumes after an interruption", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createTemplate(acme);
    const rows = Array.from({ length: 7 }, (_, at): ImportCustomer => {
      const code = at % 2 === 0 ? { code: `card-${at}` } : {};
      const createdAt = `2024-01-0${at + 1}`;
      return { email: `${at}@example.com`, createdAt, passes: [{ templateId, stamps: 5, ...code }] };
    });
    const throwAfterFourRows = function* () {
      yield* rows.slice(0, 4);
      throw new Error("killed");
    };
    await expect(acme.passes.import(throwAfterFourRows())).rejects.toThrow("killed");
    expect(await acme.passes.import(rows)).toEqual(importResult(3, 4));
    await acme.stamps.add((await acme.passes.lookup("card-0")).id);
    expect(await acme.passes.import(rows)).toEqual(importResult(0, 7));
    const { content } = await acme.contacts.list({ includeStamps: true, sort: "createdAt,asc" });
    expect(content.map(({ passInfos }) => passInfos.length)).toEqual(rows.map(() => 1));
    const stamps = content.map(({ stampProgress }) => stampProgress?.[0]?.currentStamps);
    expect(stamps).toEqual([6, 5, 5, 5, 5, 5, 5]);
  });

  it("emits user and card events without false completions, or none at all, with the same statistics", async () => {
    const expectedCounts = [];
    for (const emit of ["all", "none"] as const) {
      const { acme } = openAcme({ storage: await open() });
      const { id: templateId } = await createTemplate(acme);
      const passes = [{ templateId, stamps: 1, completions: 2, rewards: 2 }];
      await acme.passes.import([{ email: someEmail(), passes }], { emit });
      const { content } = await acme.events.list();
      const eventTypes = emit === "all" ? ["user.created", "pass.created", "stamp.added"] : [];
      expect(content.map(({ type }) => type)).toEqual(["template.created", ...eventTypes]);
      const { customers, activeCards, stamps, rewardsEarned } = await acme.statistics.get();
      expectedCounts.push({ customers, activeCards, stamps, rewardsEarned });
    }
    const numbers = { customers: 1, activeCards: 1, stamps: 0, rewardsEarned: 0 };
    expect(expectedCounts).toEqual([numbers, numbers]);
  });

  it("emits a single summary event at the end if requested, and none for a dry run", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createTemplate(acme);
    const rows = Array.from({ length: 501 }, (_, at) => ({
      email: at === 7 ? "" : `${at}@example.com`,
      passes: [{ templateId, stamps: 1 }],
    }));
    const listTypes = async () => (await acme.events.list()).content.map(({ type }) => type);
    await acme.passes.import(rows, { emit: "summary", dryRun: true });
    expect(await listTypes()).toEqual(["template.created"]);
    await acme.passes.import(rows, { emit: "summary" });
    const { content } = await acme.events.list();
    expect(content.slice(1)).toMatchObject([
      {
        type: "import.completed",
        data: { object: "import", created: 500, updated: 0, unchanged: 0, failed: 1 },
      },
    ]);
  });

  it("fails the whole row if one of its cards is invalid, and no other row", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createTemplate(acme);
    const { id: plain } = await acme.templates.create({ name: "Plain", type: "LOYALTY_CARD" });
    const { id: points } = await createPointTemplate(acme);
    await acme.passes.import([{ email: "held@example.com", passes: [{ templateId, code: "held" }] }]);
    const at = "2025-01-01";
    const wrong: readonly [cards: NonNullable<ImportCustomer["passes"]>, path: string][] = [
      [[{ templateId: "none" }], "passes.0.templateId"],
      [[{ templateId, code: "held" }], "passes.0.code"],
      [
        [
          { templateId, code: "a" },
          { templateId, code: "a" },
        ],
        "passes.1.code",
      ],
      [Array.from({ length: 21 }, () => ({ templateId })), "passes"],
      [[{ templateId, completions: 1_001 }], "passes.0.completions"],
      [
        [{ templateId, history: Array.from({ length: 1_001 }, () => ({ type: "added" as const, at })) }],
        "passes.0.history",
      ],
      [[{ templateId, code: "" }], "passes.0.code"],
      [[{ templateId, code: "a/b" }], "passes.0.code"],
      [[{ templateId, code: "." }], "passes.0.code"],
      [[{ templateId, code: ".." }], "passes.0.code"],
      [[{ templateId, code: "a".repeat(65) }], "passes.0.code"],
      [[{ templateId, stamps: 10 }], "passes.0.stamps"],
      [[{ templateId, stamps: -1 }], "passes.0.stamps"],
      [[{ templateId, stamps: Number.NaN }], "passes.0.stamps"],
      [[{ templateId, completions: 1, rewards: 2 }], "passes.0.rewards"],
      [[{ templateId: plain, stamps: 1 }], "passes.0.templateId"],
      [[{ templateId: plain, points: 1 }], "passes.0.points"],
      [[{ templateId, stamps: 1, points: 1 }], "passes.0.points"],
      [[{ templateId }, { templateId: plain, pointsExpireAt: at }], "passes.1.pointsExpireAt"],
      [[{ templateId: points, points: -1 }], "passes.0.points"],
      [[{ templateId: points, points: 0.5 }], "passes.0.points"],
      [[{ templateId: points, points: 1_000_000_001 }], "passes.0.points"],
      [[{ templateId: points, points: 1, pointsExpireAt: "soon" }], "passes.0.pointsExpireAt"],
      [[{ templateId: points, points: 1, stamps: 1 }], "passes.0.templateId"],
      [[{ templateId: points, points: 1, history: [] }], "passes.0.history"],
      [[{ templateId, lastStampAt: "yesterday" }], "passes.0.lastStampAt"],
      [[{ templateId, stamps: 1, lastStampAt: "2999-01-01" }], "passes.0.lastStampAt"],
      [[{ templateId, stamps: 1, history: [] }], "passes.0.history"],
      [[{ templateId, history: [{ type: "redeemed", at }] }], "passes.0.history.0"],
      [
        [
          {
            templateId,
            history: [
              { type: "added", at },
              { type: "removed", count: 2, at },
            ],
          },
        ],
        "passes.0.history.1",
      ],
    ];
    const rows = wrong.map(([passes]): ImportCustomer => ({ email: someEmail(), passes }));
    const last = { email: "last@example.com", passes: [{ templateId, code: "a".repeat(64) }] };
    const { created, failed } = await acme.passes.import([...rows, last]);
    expect(failed.map(({ row, errors }) => [row, Object.keys(errors)])).toEqual(
      wrong.map(([, path], index) => [index + 1, [path]]),
    );
    expect(created).toBe(1);
    expect((await acme.contacts.list()).totalElements).toBe(2);
  });

  it("takes into account what earlier rows of the same import created", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createTemplate(acme);
    const card = { templateId, code: "own", stamps: 2 };
    const ada = { email: "ada@example.com", externalId: "a" };
    const { created, updated, unchanged, failed } = await acme.passes.import([
      { ...ada, passes: [card] },
      { email: "ADA@example.com", passes: [{ templateId }] },
      { email: "bob@example.com", externalId: "b", passes: [card] },
      { email: "ada@example.com", externalId: "b" },
      { ...ada, email: "lovelace@example.com", passes: [card, { templateId, code: "second" }] },
      { email: "ada@example.com", passes: [{ templateId }] },
      { externalId: "a", email: "ada@example.com" },
    ]);
    expect(failed).toEqual([
      { row: 3, errors: { "passes.0.code": "is already used by another pass" } },
      { row: 4, errors: { email: "belongs to another user" } },
      { row: 7, errors: { email: "belongs to another user" } },
    ]);
    expect({ created, updated, unchanged }).toEqual({ created: 2, updated: 2, unchanged: 0 });
    const { content } = await acme.contacts.list({ sort: "createdAt,asc", includeStamps: true });
    expect(content.map(({ email, passInfos }) => [email, passInfos.length])).toEqual([
      ["lovelace@example.com", 2],
      ["ada@example.com", 1],
    ]);
  });

  it("refuses a customer whose createdAt is before the newest customer's or in the future", async () => {
    const { acme } = openAcme({ storage: await open() });
    const birthDates = ["2022-01-01", "2021-01-01", "2999-01-01", "2022-01-01"];
    const rows = birthDates.map((createdAt, at) => ({ email: `${at}@example.com`, createdAt }));
    const { created, failed } = await acme.passes.import(rows);
    expect([created, failed.map(({ row, errors }) => [row, Object.keys(errors)])]).toEqual([
      2,
      [2, 3].map((row) => [row, ["createdAt"]]),
    ]);
    const { content } = await acme.contacts.list({ sort: "createdAt,asc" });
    expect(content.map(({ email }) => email)).toEqual(["0@example.com", "3@example.com"]);
  });
});

describe.each(everyAdapter)("importing points on $name", ({ open }) => {
  it("starts the ledger with the balance, usable immediately, until the date in the row or the template", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    clock.now = Date.parse("2026-03-01T12:00:00Z");
    const { id: templateId } = await createPointTemplate(acme);
    const ends: readonly [pointsExpireAt: string | null | undefined, expected: string | null][] = [
      [undefined, "2026-03-31T22:00:00.000Z"],
      [null, null],
      ["2026-12-31", "2026-12-31T23:00:00.000Z"],
      ["2026-12-31T10:00:00+01:00", "2026-12-31T09:00:00.000Z"],
    ];
    const rows = ends.map(([pointsExpireAt], nth) => ({
      email: `${nth}@example.com`,
      passes: [
        {
          templateId,
          code: `card-${nth}`,
          points: 500,
          ...(pointsExpireAt !== undefined && { pointsExpireAt }),
        },
      ],
    }));
    expect(await acme.passes.import(rows, { dryRun: true })).toEqual(importResult(4));
    expect(await acme.passes.import(rows)).toEqual(importResult(4));
    expect(await acme.passes.import(rows)).toEqual(importResult(0, 4));
    for (const [nth, [, expiresAt]] of ends.entries()) {
      const { id, pointCard } = await acme.passes.lookup(`card-${nth}`);
      expect(pointCard).toMatchObject({ available: 500, pending: 0, earned: 0 });
      const { content } = await acme.points.history(id);
      expect(content).toMatchObject([{ type: "added", points: 500, note: "Opening balance", expiresAt }]);
      await acme.points.spend(id, { points: 500 });
    }
  });

  it("accepts 0 points, a billion points, and points that have already expired", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createPointTemplate(acme);
    const { id: stamps } = await createTemplate(acme);
    const passes = [
      { templateId, code: "none", points: 0 },
      { templateId, code: "most", points: 1_000_000_000 },
      { templateId, code: "past", points: 7, pointsExpireAt: "2020-01-01" },
      { templateId: stamps, stamps: 2, points: 0 },
    ];
    expect(await acme.passes.import([{ email: someEmail(), passes }])).toEqual(importResult(1));
    const cardOf = async (code: string) => (await acme.passes.lookup(code)).pointCard;
    expect(await cardOf("none")).toMatchObject({ available: 0, expiring: [] });
    expect(await cardOf("most")).toMatchObject({ available: 1_000_000_000 });
    expect(await cardOf("past")).toMatchObject({ available: 0, expired: 7 });
  });

  it("emits an event for each balance if all events are requested, and none otherwise", async () => {
    for (const emit of ["all", "summary", "none"] as const) {
      const { acme } = openAcme({ storage: await open() });
      const { id: templateId } = await createPointTemplate(acme);
      const passes = [
        { templateId, points: 5 },
        { templateId, code: "empty" },
      ];
      await acme.passes.import([{ email: someEmail(), passes }], { emit });
      const { content } = await acme.events.list({ types: ["points.added"] });
      const told = { pointCard: { available: 5 }, entry: { type: "added", points: 5 } };
      expect(content).toMatchObject(emit === "all" ? [{ data: told }] : []);
    }
  });

  it("imports 1,100 balances in one call, and such a balance can be reversed", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await createPointTemplate(acme);
    const rows = Array.from({ length: 1_100 }, (_, nth) => ({
      email: `${nth}@example.com`,
      passes: [{ templateId, code: `card-${nth}`, points: nth + 1 }],
    }));
    expect(await acme.passes.import(rows, { emit: "none" })).toEqual(importResult(1_100));
    const { id } = await acme.passes.lookup("card-1099");
    const [entry] = (await acme.points.history(id)).content;
    expect(await acme.points.reverse(id, { entryId: entry?.id ?? "" })).toMatchObject({ available: 0 });
  });
});

const history = fc.array(
  fc.record({
    type: fc.constantFrom(
      "added" as const,
      "added" as const,
      "removed" as const,
      "redeemed" as const,
      "reset" as const,
    ),
    count: fc.integer({ min: 1, max: 12 }),
    at: fc.integer({ min: 1, max: 28 }).map((day) => `2025-02-${String(day).padStart(2, "0")}`),
  }),
  { maxLength: 15 },
);

describe.each(everyAdapter)("a dated history on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);

  it("has the same result as the same calls made one by one, and fails if one of them fails", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), history, async (maxStamps, entries) => {
        const acme = newOrganization();
        const { id: templateId } = await createTemplate(acme, maxStamps);
        const { id } = await acme.passes.create(templateId, { user: { email: someEmail() } });
        const isInOrder = entries.every(({ at }, nth) => at >= (entries[nth - 1]?.at ?? at));
        const isToldByTimes = new Set(entries.map(({ at }) => at)).size === entries.length;
        const oldestFirst = entries.toSorted((one, other) => one.at.localeCompare(other.at));
        const replayHistory = async () => {
          if (!isInOrder && !isToldByTimes) throw new Error("nobody knows what was first");
          for (const { type, count } of oldestFirst) {
            if (type === "added") await acme.stamps.add(id, { count });
            else if (type === "removed") await acme.stamps.remove(id, { count });
            else if (type === "redeemed") await acme.stamps.redeem(id);
            else await acme.stamps.reset(id);
          }
        };
        const isPossible = await replayHistory().then(
          () => true,
          () => false,
        );
        const email = someEmail();
        const { failed } = await acme.passes.import([
          { email, passes: [{ templateId, code: "own", history: entries }] },
        ]);
        expect(failed.length === 0).toBe(isPossible);
        if (!isPossible) return;
        const importedPass = await acme.passes.lookup("own");
        const { walletPassId: _, lastStampAt: __, ...expected } = await acme.stamps.state(id);
        const state = await acme.stamps.state(importedPass.id);
        expect(state).toMatchObject(expected);
        const { content } = await acme.stamps.history(importedPass.id, { size: 200 });
        expect(state).toMatchObject(sumOf(content.toReversed(), maxStamps));
        expect(content.map(({ createdAt }) => createdAt.slice(0, 10)).toReversed()).toEqual(
          oldestFirst.map(({ at }) => at),
        );
      }),
      storedRuns(20),
    );
  });
});

describe("a dated history in any order", () => {
  type History = NonNullable<ImportPass["history"]>;
  const addedEntry = (at: string, note: string) => ({ type: "added" as const, at, note });

  async function importHistory(history: History) {
    const { acme } = openAcme();
    const { id: templateId } = await createTemplate(acme);
    const { failed } = await acme.passes.import([
      { email: "ada@example.com", passes: [{ templateId, code: "own", history }] },
    ]);
    if (failed.length > 0) {
      expect((await acme.contacts.list()).totalElements).toBe(0);
      return { failed: failed[0]?.errors };
    }
    const { id, createdAt } = await acme.passes.lookup("own");
    const { content } = await acme.stamps.history(id);
    const { lastStampAt } = await acme.stamps.state(id);
    return {
      notes: content
        .map(({ note }) => note)
        .reverse()
        .join(""),
      createdAt,
      lastStampAt,
    };
  }

  it("is sorted by time, and its newest stamp sets lastStampAt", async () => {
    const newestFirst = [
      addedEntry("2024-03-01", "c"),
      addedEntry("2023-05-31T10:00Z", "b"),
      addedEntry("2023-05-30", "a"),
    ];
    expect(await importHistory(newestFirst)).toEqual({
      notes: "abc",
      createdAt: "2023-05-30T00:00:00.000Z",
      lastStampAt: "2024-03-01T00:00:00.000Z",
    });
    expect(
      await importHistory(newestFirst.toSpliced(1, 0, addedEntry("2023-05-31T11:30+01:00", "B"))),
    ).toMatchObject({
      notes: "abBc",
    });
  });

  it.each([
    [
      "two days",
      [addedEntry("2024-01-02", "b"), addedEntry("2024-01-01", "a"), addedEntry("2024-01-01", "A")],
      1,
    ],
    [
      "two times",
      [
        addedEntry("2024-01-02T10:00Z", "b"),
        addedEntry("2024-01-02T11:00+01:00", "B"),
        addedEntry("2024-01-01", "a"),
      ],
      2,
    ],
    [
      "a day and a time on that day",
      [addedEntry("2024-01-02T10:00Z", "b"), addedEntry("2024-01-02", "a")],
      1,
    ],
  ])("fails its row if times don't determine the order: %s", async (_, history, nth) => {
    expect(await importHistory(history)).toEqual({
      failed: { [`passes.0.history.${nth}`]: expect.stringContaining("is older than the previous entry") },
    });
  });

  it("keeps entries of the same time in order if it is oldest first already", async () => {
    const history = [
      addedEntry("2024-01-01", "a"),
      addedEntry("2024-01-02", "b"),
      addedEntry("2024-01-02", "c"),
      addedEntry("2024-01-02T10:00Z", "d"),
    ];
    expect(await importHistory(history)).toMatchObject({ notes: "abcd" });
  });
});
