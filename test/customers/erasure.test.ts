import { existsSync, readFileSync } from "node:fs";
import type { StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { userRecord } from "../../src/storage/users.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { openForRun } from "../kit/this-run.js";
import { createPlacePool } from "../postgres/place-pool.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { openWallets } from "../wallets/apple/wallets-scene.js";

/** A storage, and a function that returns everything it has written. */
interface OpenStorage {
  readonly storage: StorageAdapter;
  readonly readText: () => Promise<string>;
}

const newPlace = createPlacePool(async () => {});

const databases = openForRun<() => Promise<OpenStorage>>({
  memory: async () => ({ storage: memoryStorage(), readText: async () => "" }),
  sqlite: async () => {
    const file = createTemporaryFile();
    const readFiles = () =>
      [file, `${file}-wal`].filter(existsSync).map((name) => readFileSync(name, "latin1"));
    return { storage: await sqliteStorage(file), readText: async () => readFiles().join() };
  },
  postgres: async () => {
    const { pool, returnPlace: giveBack } = await newPlace();
    onTestFinished(giveBack);
    const storage = await postgresStorage(pool);
    const dumpTables = async () => {
      const names =
        "select table_name as name from information_schema.tables where table_schema = current_schema";
      const { rows: tables } = await pool.query(names);
      const texts = tables.map(async ({ name }) => {
        const { rows } = await pool.query(`select t::text as row from ${name} t`);
        return rows.map(({ row }) => row).join("\n");
      });
      return (await Promise.all(texts)).join("\n");
    };
    return { storage, readText: dumpTables };
  },
});

/** Personal data, with parts that can be found separately. */
const person = {
  email: "erasable-mail@example.com",
  name: "Erasable Name",
  phone: "+00 erasable 17",
  externalId: "erasable-external",
  metadata: { note: "erasable-metadata" },
};
const earlier = "formerly-erasable@example.com";
const texts = [person.email, person.name, person.phone, person.externalId, "erasable-metadata", earlier];
const receipt = "erasable-receipt";

/** A shop in which a customer has left traces in every possible place. */
async function openShopWithTraces(storage: StorageAdapter) {
  const shop = await openWallets(storage);
  const { loyalty, acme, template } = shop;
  await acme.webhooks.create({ url: "https://example.com/hook" });
  await acme.tags.create({ name: "VIP" });
  const createInput = { ...person, email: earlier, idempotencyKey: "sign-up" };
  const { id } = await acme.users.create(createInput);
  await acme.users.update(id, { email: person.email, idempotencyKey: "correction" });
  await getErrorDetail(acme.users.create({ email: person.email, idempotencyKey: "again" }));
  await acme.tags.assign(id, "vip");
  const pass = await acme.passes.create(template.id, { userId: id });
  await acme.stamps.add(pass.id, { count: 7, note: receipt });
  const { apple } = await acme.passes.walletLinks(pass.id);
  const phone = shop.newPhone("erasable-phone");
  await phone.add(apple ?? "");
  // The receiver echoes the events. It gets all of them except the creation of the template.
  const worker = createWebhookWorker(loyalty, {
    pollMs: 5,
    send: async ({ body }) => ({ status: 200, retryAfter: null, answer: body.slice(0, 500) }),
  });
  const [endpoint] = await acme.webhooks.list();
  const listDelivered = async () =>
    (await acme.webhooks.deliveries(endpoint?.id ?? "", { status: "delivered" })).content;
  const { content: events } = await acme.events.list();
  await expect.poll(async () => (await listDelivered()).length).toBe(events.length - 1);
  await worker.close();
  return { ...shop, id, pass, createInput, listDelivered, phone };
}

it("the test data has a value in each column of a user that can identify a person", () => {
  const others = ["id", "ordinal", "createdAt", "updatedAt"];
  expect(Object.keys(userRecord.columns).sort()).toEqual([...others, ...Object.keys(person)].sort());
});

describe.each(Object.entries(databases))("erasing a user on %s", (name, open) => {
  it("leaves no personal data in any row or file, and keeps the order of events and the totals", async () => {
    const { storage, readText } = await open();
    const { acme, id, pass, listDelivered, deliver, phone } = await openShopWithTraces(storage);
    const code = pass.qrCodeValue.split("/").at(-1) ?? "";
    const before = await readText();
    if (name !== "memory")
      for (const text of [...texts, receipt, code, "erasable-phone"]) expect(before).toContain(text);
    const { content: eventsBefore } = await acme.events.list();
    const numbers = await acme.statistics.get();

    await acme.users.erase(person.externalId);

    const after = await readText();
    for (const text of [...texts, receipt, code]) expect(after).not.toContain(text);
    await deliver();
    expect(phone.passes.get(pass.id)?.pass).toMatchObject({ voided: true });
    expect(await readText()).not.toContain("erasable-phone");
    const { content: events } = await acme.events.list();
    const eventKey = ({ id, type, timestamp }: (typeof events)[number]) => [id, type, timestamp];
    expect(events.slice(0, -2).map(eventKey)).toEqual(eventsBefore.map(eventKey));
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["pass.revoked", "user.deleted"]);
    expect(events.find(({ type }) => type === "user.created")?.data).toEqual({ id, object: "user" });
    const visibleText = JSON.stringify([events, await listDelivered()]);
    for (const text of [...texts, code]) expect(visibleText).not.toContain(text);
    expect(await acme.statistics.get()).toMatchObject({
      stamps: numbers.stamps,
      rewardsEarned: 1,
      customers: 0,
    });
    expect((await acme.contacts.list({ search: "erasable" })).totalElements).toBe(0);
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("doesn't let a repeated earlier call bring the person back", async () => {
    const { storage } = await open();
    const { acme, id, createInput } = await openShopWithTraces(storage);
    await acme.users.erase(id);
    expect(await getErrorDetail(acme.users.create(createInput))).toEqual(notFound);
    expect(await getErrorDetail(acme.users.erase(id))).toEqual(notFound);
    expect((await acme.contacts.list()).totalElements).toBe(0);
    expect((await acme.users.create(person)).id).not.toBe(id);
  });

  it("leaves other customers unchanged", async () => {
    const { storage } = await open();
    const { acme, id } = await openShopWithTraces(storage);
    const other = { email: "grace@example.com", externalId: "grace", idempotencyKey: "grace" };
    const grace = await acme.users.create(other);
    const dossier = await acme.users.dossier(grace.id);
    await acme.users.erase(id);
    expect(await acme.users.dossier(grace.id)).toEqual(dossier);
    expect(await acme.users.create(other)).toEqual(grace);
  });
});

describe.each(Object.entries(databases))("erasing a user who is named elsewhere, on %s", (_name, open) => {
  it("leaves the data and actions of customers unchanged whose data contains the person's id", async () => {
    const { storage } = await open();
    const { loyalty, acme, template } = await openWallets(storage);
    const { id } = await acme.users.create({ email: "ada@example.com", name: "Al" });
    const grace = await acme.users.create({
      email: "grace@example.com",
      name: "Grace Hopper",
      metadata: { referredBy: id },
    });
    const pass = await acme.passes.create(template.id, { userId: grace.id });
    const details = { subject: "grace@example.com", location: "Alcove", receipt: `for ${grace.name}` };
    const byGrace = loyalty.organization("acme", { actor: { kind: "console", ...details } });
    await byGrace.stamps.add(pass.id);
    const byOther = loyalty.organization("acme", { actor: { kind: "console", location: "al" } });
    await byOther.stamps.add(pass.id);
    const listEvents = async () => (await acme.events.list({ userId: grace.id })).content;
    const before = await listEvents();
    const dossier = await acme.users.dossier(grace.id);
    await acme.users.erase(id);
    expect(await listEvents()).toEqual(before);
    expect(await acme.users.dossier(grace.id)).toEqual(dossier);
    const { content } = await acme.stamps.history(pass.id);
    expect(content.map(({ actor }) => actor)).toMatchObject([{ location: "al" }, details]);
  });

  it("keeps other customers' cards and phones, and drops devices that no longer have the person's card", async () => {
    const { storage } = await open();
    const { acme, newPass, newPhone, deliver } = await openWallets(storage);
    const [own, friends] = [await newPass(), await newPass()];
    const [phone, former] = [newPhone("phone"), newPhone("former")];
    for (const each of [phone, former]) await each.add(own.url);
    await phone.add(friends.url);
    await former.remove(own.id);
    const { userId } = await acme.passes.get(own.id);
    await acme.users.erase(userId);
    const listDevices = async (passId: string) =>
      (await runStep(storage.reader("acme").walletDevicesOf([passId]))).map(({ deviceId }) => deviceId);
    expect([await listDevices(own.id), await listDevices(friends.id)]).toEqual([["phone"], ["phone"]]);
    await deliver();
    expect(await listDevices(own.id)).toEqual([]);
    expect(phone.passes.get(friends.id)?.pass).not.toMatchObject({ voided: true });
    await acme.stamps.add(friends.id);
    await deliver();
    expect(await phone.refresh(friends.id)).toBe(304);
  });
});

describe.each(Object.entries(databases))("a dossier on %s", (_name, open) => {
  it("has all data about one person, and nothing about others", async () => {
    const { storage } = await open();
    const { acme, id, pass, template } = await openShopWithTraces(storage);
    await acme.users.create({ email: "grace@example.com" });
    const dossier = await acme.users.dossier(person.externalId);
    expect(JSON.parse(JSON.stringify(dossier))).toEqual(dossier);
    const { content: history } = await acme.stamps.history(pass.id);
    expect(dossier).toMatchObject({
      object: "dossier",
      user: { id, ...person },
      tags: [{ slug: "vip" }],
      passes: [
        {
          id: pass.id,
          template: { id: template.id },
          stamps: await acme.stamps.state(pass.id),
          history,
          devices: [{ platform: "apple", state: "registered" }],
        },
      ],
    });
    expect(dossier.events.map(({ type }) => type)).toEqual([
      ...["user.created", "user.updated", "user_tag.assigned", "pass.created", "stamp.added"],
      ...["stamp_card.completed", "pass.installed"],
    ]);
    expect(JSON.stringify(dossier)).not.toContain("grace");
    expect(await getErrorDetail(acme.users.dossier("nobody"))).toEqual(notFound);
  });

  it("lists the person's automation runs, newest first, and an erasure deletes them", async () => {
    const { storage } = await open();
    const { loyalty, acme, id } = await openShopWithTraces(storage);
    const grace = await acme.users.create({ email: "grace@example.com" });
    await acme.tags.create({ name: "New" });
    const automation = await acme.automations.create({
      name: "Cards",
      on: { event: "pass.created" },
      do: [{ assignTag: "new" }],
      per: { everyDays: 1 },
    });
    const { id: templateId } = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
    for (const userId of [id, grace.id, id]) await acme.passes.create(templateId, { userId });
    await loyalty.runAutomations();
    const { automationRuns } = await acme.users.dossier(id);
    expect(automationRuns).toEqual((await acme.automations.ofUser(id)).content);
    expect(automationRuns.map(({ status, reason }) => [status, reason])).toEqual([
      ["SKIPPED", "done_before"],
      ["DONE", null],
    ]);
    await acme.users.erase(id);
    expect((await acme.automations.runs(automation.id)).content.map(({ userId }) => userId)).toEqual([
      grace.id,
    ]);
    expect(await getErrorDetail(acme.automations.ofUser(id))).toEqual(notFound);
    expect((await acme.users.dossier(grace.id)).automationRuns).toHaveLength(1);
  });
});
