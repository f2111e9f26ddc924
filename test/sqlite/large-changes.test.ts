import type { Organization } from "loyalty-kit";
import { describe, expect, it, vi } from "vitest";
import { type EmittedEvent, listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { eventsOfOrganization, listStoredEvents } from "../events/stored-events.js";
import { openAcme } from "../kit/acme.js";
import { openWithWriter, otherProgram } from "./open-storage.js";
import { addTag, addUsers } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";
import { threads } from "./threads.js";

vi.mock("node:worker_threads", () => import("./threads.js"));

const MANY = 6_000;
const FEW = 100;

const everybody = { filter: { operator: "NOT", conditions: [{ slug: "unknown" }] } } as const;
const filterByTag = (slug: string) => ({ filter: { operator: "AND" as const, conditions: [{ slug }] } });

/**
 * Opens "acme" in a new file with this many users, the first of whom have the tag "regular", and with the tag
 * "vip".
 */
async function openWithUsers({ count, regular }: { readonly count: number; readonly regular: number }) {
  const file = createTemporaryFile();
  const { storage } = await openWithWriter(file, { synchronous: "NORMAL" });
  const users = await addUsers(storage, count);
  await storage.transaction("acme", function* (tx) {
    const tag = yield* addTag(tx, "regular");
    yield* addTag(tx, "vip");
    for (let at = 0; at < regular; at += 1_000) {
      const assignments = users.slice(at, Math.min(at + 1_000, regular)).map(({ ordinal }) => {
        return { id: `uta_${ordinal}`, userOrdinal: ordinal, tagOrdinal: tag.ordinal, createdAt: 1 };
      });
      yield* tx.assignTags(assignments);
    }
  });
  return { ...openAcme({ storage }), users, other: otherProgram(file) };
}

/** Asserts that the emitted events equal the stored ones. */
async function expectStoredAsHeard(acme: Organization, events: readonly EmittedEvent[]) {
  const storedEvents = await listStoredEvents(acme);
  expect(storedEvents).toEqual(eventsOfOrganization("acme", events));
  return listTypesAndData(events);
}

describe("deleting a tag", () => {
  it("with thousands of users starts no thread, and emits one event per user, then the tag's event", async () => {
    const { loyalty, acme, users } = await openWithUsers({ count: MANY, regular: MANY - 1 });
    const userTag = await acme.tags.get("regular");
    const events = recordEvents(loyalty);
    await acme.tags.delete("regular");
    expect((await acme.tags.query(filterByTag("regular"))).totalElements).toBe(0);
    expect((await acme.tags.list()).map(({ slug }) => slug)).toEqual(["vip"]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
    await expect.poll(() => events.at(-1)?.type).toBe("user_tag.deleted");
    expect(threads.started).toEqual([]);
    expect(await expectStoredAsHeard(acme, events)).toEqual([
      ...users.slice(0, -1).map(({ id }) => ["user_tag.unassigned", { userId: id, userTag }]),
      ["user_tag.deleted", userTag],
    ]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
  });

  it("that doesn't exist is refused", async () => {
    const { acme } = await openWithUsers({ count: 1, regular: 0 });
    await expect(acme.tags.delete("unknown")).rejects.toMatchObject({ code: "resource_not_found" });
    await expect(acme.tags.delete("\0")).rejects.toMatchObject({ code: "resource_not_found" });
  });
});

describe("tagging the users that match a filter", () => {
  it("processes thousands of them in batches, between which other changes run", async () => {
    const { loyalty, acme, users } = await openWithUsers({ count: MANY, regular: FEW });
    const userTag = await acme.tags.get("vip");
    const events = recordEvents(loyalty);
    const others: Promise<unknown>[] = [];
    const meanwhile = loyalty.on("user_tag.assigned", () => {
      if (others.length === 0) others.push(loyalty.organization("quiet").tags.create({ name: "Between" }));
    });
    const whole = acme.tags.assignUsers("vip", everybody).then((result) => ({ result, at: events.length }));
    await expect.poll(() => others, { interval: 1 }).toHaveLength(1);
    await Promise.all(others);
    const holders = (await acme.tags.query(filterByTag("vip"))).totalElements;
    expect(holders).toBeGreaterThan(0);
    expect(holders).toBeLessThan(MANY);
    expect((await whole).result).toEqual({ changed: MANY, unchanged: 0 });
    meanwhile();
    expect(await acme.tags.unassignUsers("vip", everybody)).toEqual({ changed: MANY, unchanged: 0 });
    expect((await acme.tags.query(filterByTag("vip"))).totalElements).toBe(0);
    expect(threads.started).toEqual([]);
    expect(
      await expectStoredAsHeard(
        acme,
        events.filter(({ type }) => type !== "user_tag.created"),
      ),
    ).toEqual(
      ["user_tag.assigned", "user_tag.unassigned"].flatMap((type) =>
        users.map(({ id }) => [type, { userId: id, userTag }]),
      ),
    );
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 3, wrong: [] });
  });

  it("stores and emits the earlier batches if it fails midway, and a retry does the rest", async () => {
    const { loyalty, acme, other } = await openWithUsers({ count: MANY, regular: 0 });
    other.exec(
      `create trigger fault before insert on loyalty_user_tag_assignments when new.user_ordinal = ${MANY - 1}
       begin select raise(abort, 'the last one'); end`,
    );
    const events = recordEvents(loyalty);
    const assignToEverybody = () => acme.tags.assignUsers("vip", { ...everybody, idempotencyKey: "once" });
    await expect(assignToEverybody()).rejects.toThrow("the last one");
    const assignedCount = (await acme.tags.query(filterByTag("vip"))).totalElements;
    expect(assignedCount).toBe(MANY - 500);
    expect(await expectStoredAsHeard(acme, events)).toHaveLength(assignedCount);
    other.exec("drop trigger fault");
    expect(await assignToEverybody()).toEqual({ changed: MANY - assignedCount, unchanged: assignedCount });
    expect(await assignToEverybody()).toEqual({ changed: MANY - assignedCount, unchanged: assignedCount });
    expect(await expectStoredAsHeard(acme, events)).toHaveLength(MANY);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 3, wrong: [] });
  });
});
