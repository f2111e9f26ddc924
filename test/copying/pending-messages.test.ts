import type { StorageAdapter } from "loyalty-kit";
import { backupSqlite, sqliteStorage } from "loyalty-kit/sqlite";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { adapters } from "../kit/adapters.js";
import { isInThisRun } from "../kit/this-run.js";
import { HOUR, openSending } from "../messages/sending/sending-scene.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** Opens a shop whose messages have reached the states that their names say. */
async function openShop(storage: StorageAdapter) {
  const shop = await openSending({ storage });
  for (const name of ["ada", "bob"]) await shop.subscriber(name);
  const { id: sentId } = await shop.send({ name: "sent" });
  await shop.advance();
  await shop.mail.runOnce();
  const later = new Date(Date.parse(shop.clock.timestamp) + HOUR).toISOString();
  const { id: scheduledId } = await shop.send({ name: "scheduled", sendAt: later });
  const { id: startedId } = await shop.send({ name: "begun" });
  await shop.advance();
  const { id: draft } = await shop.draft({ name: "draft" });
  const listStatuses = async ({ get }: Pick<typeof shop, "get">) => {
    const all = [];
    for (const id of [sentId, scheduledId, startedId, draft]) all.push((await get(id)).status);
    return all;
  };
  return { shop, begun: startedId, scheduled: scheduledId, listStatuses };
}

const sourceStatuses = ["SENT", "SCHEDULED", "SENDING", "DRAFT"];

const kinds = [
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const;

describe.each(kinds.filter((kind) => isInThisRun(kind.join(" "))))("a copy from %s to %s", (from, to) => {
  it("cancels pending messages, and its source still sends them", async () => {
    const {
      shop,
      begun: startedId,
      scheduled: scheduledId,
      listStatuses,
    } = await openShop(await adapters[from]());
    const target = await adapters[to]();
    await copyStorage(shop.storage, target);
    expect(await checkStorage(target)).toEqual([]);
    const copy = await openSending({ storage: target });
    expect(await listStatuses(copy)).toEqual(["SENT", "CANCELED", "CANCELED", "DRAFT"]);
    copy.clock.move(2 * HOUR);
    await copy.mail.runOnce();
    await copy.advance();
    expect(copy.sent).toEqual([]);
    expect((await copy.get(startedId)).sums).toMatchObject({
      recipients: 2,
      pending: 0,
      skipped: { canceled: 2 },
    });
    const canceledEvents = (await copy.events()).filter(({ type }) => type === "message.canceled");
    expect(canceledEvents.map(({ data }) => ("id" in data ? data.id : null)).sort()).toEqual(
      [startedId, scheduledId].sort(),
    );
    expect(await listStatuses(shop)).toEqual(sourceStatuses);
    await shop.mail.runOnce();
    expect(shop.sent).toHaveLength(4);
  });
});

describe("a copy with `withPending`", () => {
  it("sends the pending messages", async () => {
    const { shop, listStatuses } = await openShop(await adapters.sqlite());
    const target = await adapters.sqlite();
    await copyStorage(shop.storage, target, { withPending: true });
    const copy = await openSending({ storage: target });
    expect(await listStatuses(copy)).toEqual(sourceStatuses);
    await copy.mail.runOnce();
    expect(copy.sent).toHaveLength(2);
  });
});

describe("a backup", () => {
  it("cancels pending messages unless it was made with `withPending`", async () => {
    const file = createTemporaryFile();
    const { shop, listStatuses } = await openShop(await sqliteStorage(file));
    const [plain, emptyTarget] = [createTemporaryFile(), createTemporaryFile()];
    await backupSqlite(file, plain);
    await backupSqlite(file, emptyTarget, { withPending: true });
    const restoredRows = [];
    for (const copiedTable of [plain, emptyTarget]) {
      const storage = await sqliteStorage(copiedTable);
      expect(await checkStorage(storage)).toEqual([]);
      const copy = await openSending({ storage });
      restoredRows.push(await listStatuses(copy));
    }
    expect(restoredRows).toEqual([["SENT", "CANCELED", "CANCELED", "DRAFT"], sourceStatuses]);
    expect(await listStatuses(shop)).toEqual(sourceStatuses);
  });
});
