import { existsSync, readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import type { LoyaltyService, Organization, StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createPages } from "loyalty-kit/pages";
import { postgresStorage } from "loyalty-kit/postgres";
import { backupSqlite, sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { fold } from "../../src/base/values/text.js";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { openForRun } from "../kit/this-run.js";
import { challenge } from "../oauth/scene.js";
import { createPlacePool } from "../postgres/place-pool.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** The previous and the current data of a person. */
const previousData = {
  email: "Formerly-Erasable@example.com",
  name: "Zoë Erasable-Weißmann",
  phone: "+00 before 17",
  externalId: "erasable-before",
};
const current = {
  email: "Erasable-Now@example.com",
  name: "ΖΩΗ Erasable-ΟΔΟΣ",
  phone: "+00 now 1815",
  externalId: "Erasable-Now",
};

/** Each text in other cases and Unicode forms, as people may type it. */
const texts = [previousData, current].flatMap((personalData) =>
  Object.values(personalData).flatMap((text) => [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    text.normalize("NFD"),
  ]),
);
const spellings = [...new Set(texts)];

interface Shop {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  readonly templateId: string;
  /** The person's pass. `friends` is the pass of a friend. */
  readonly ownPassId: string;
  readonly friends: string;
  readonly signUp: (email: string) => Promise<Response>;
}

/** Ways to store a personal text, one for each place that may store one. */
const writings: Readonly<Record<string, (shop: Shop, text: string, at: number) => Promise<unknown>>> = {
  "who stamped the person's card": ({ loyalty, ownPassId }, subject) =>
    loyalty.organization("acme", { actor: { kind: "token", id: "akt_1", subject } }).stamps.add(ownPassId),
  "who stamped another customer's card": ({ loyalty, friends }, subject) =>
    loyalty.organization("acme", { actor: { kind: "token", id: "akt_1", subject } }).stamps.add(friends),
  "where, and for which purchase, the person's card was stamped": ({ loyalty, ownPassId }, text) =>
    loyalty
      .organization("acme", {
        actor: { kind: "app", id: text, location: `at ${text}`, receipt: `${text}/991` },
      })
      .stamps.add(ownPassId),
  "a note on the person's card": ({ acme, ownPassId }, note) =>
    acme.stamps.add(ownPassId, { note: `for ${note}` }),
  "who administered": ({ loyalty }, subject) =>
    loyalty
      .organization("acme", { actor: { kind: "console", subject } })
      .apiTokens.create({ name: "Till", scopes: ["user:read"] }),
  "who authorized an app": async ({ acme }, subject) => {
    const [app] = await acme.apps.list();
    await acme.grants.allow({
      appId: app?.id ?? "",
      subject,
      scopes: ["user:read"],
      redirectUri: null,
      codeChallenge: challenge,
    });
  },
  "metadata of the person": ({ acme }, text, at) =>
    acme.users.update(current.externalId, { metadata: { [`note ${at}`]: text } }),
  "a mail server's reply about the person": async ({ loyalty, acme, templateId }, text, at) => {
    await acme.passes.create(templateId, { userId: current.externalId, notify: true });
    const mail = serviceInternals(loyalty).backends.mail;
    const reply = {
      result: { kind: "accepted", code: 250, answer: `${text} has it` },
      at,
      durationMs: 1,
    } as const;
    for (const { lease, delivery, to } of await mail.claim("acme", "pass", 10)) {
      await mail.recordResults("acme", "pass", lease, [{ deliveryId: delivery.id, to, ...reply }]);
      await acme.messageDeliveries.bounce(delivery.id, {
        kind: "soft",
        idempotencyKey: `bounce ${text} ${at}`,
      });
    }
  },
  "the words of a consent": ({ acme }, text) => {
    const consent = { status: "SUBSCRIBED", text: `Yes, write to ${text}` } as const;
    return acme.subscriptions.put(current.externalId, { email: consent, wallet: consent, language: "de" });
  },
  "bounced emails to the person": ({ acme }, email, at) =>
    acme.messageDeliveries.bounceAddress({ email, kind: "soft", idempotencyKey: `bounced ${email} ${at}` }),
  "responses stored for an idempotency key": ({ acme, ownPassId }, text, at) =>
    acme.stamps.add(ownPassId, { note: text, idempotencyKey: `note ${text} ${at}` }),
  "an email entered at sign-up": async ({ signUp }, text) => {
    // Signing up with the previous email would create another customer.
    if (fold(text) === fold(current.email)) expect((await signUp(text)).status).toBe(303);
  },
};

interface Database {
  readonly storage: StorageAdapter;
  /** Returns everything that the database has written, in any file. */
  readonly readText: () => Promise<string>;
  /** Returns the tables that have a row with the text. */
  readonly findTablesWith: (text: string) => Promise<string[]>;
}

const newPlace = createPlacePool(async () => {});

const databases = openForRun<() => Promise<Database>>({
  memory: async () => {
    const { memoryStorage } = await import("loyalty-kit/memory");
    return { storage: memoryStorage(), readText: async () => "", findTablesWith: async () => [] };
  },
  sqlite: async () => {
    const file = createTemporaryFile();
    const storage = await sqliteStorage(file);
    let backups = 0;
    return {
      storage,
      async readText() {
        backups += 1;
        const backup = `${file}.backup-${backups}`;
        await backupSqlite(file, backup);
        const files = [file, `${file}-wal`, `${file}-shm`, backup].filter(existsSync);
        return files.map((name) => readFileSync(name, "utf8")).join("\n");
      },
      async findTablesWith(text) {
        const database = new Sqlite(file, { readonly: true });
        const tables = database.prepare("select name from pragma_table_list where type = 'table'").pluck();
        const found = tables
          .all()
          .map(String)
          .filter((table) => {
            return JSON.stringify(database.prepare(`select * from ${table}`).all()).includes(text);
          });
        database.close();
        return found;
      },
    };
  },
  postgres: async () => {
    const { pool, returnPlace: giveBack } = await newPlace();
    onTestFinished(giveBack);
    const dumpTables = async () => {
      const names =
        "select table_name as name from information_schema.tables where table_schema = current_schema";
      return (await pool.query<{ name: string }>(names)).rows.map(({ name }) => name);
    };
    const readRows = async (table: string) => {
      const found = await pool.query(`select t::text as row from ${table} t`);
      return found.rows.map(({ row }) => row).join("\n");
    };
    return {
      storage: await postgresStorage(pool),
      async readText() {
        const rows = (await dumpTables()).map(readRows);
        return (await Promise.all(rows)).join("\n");
      },
      async findTablesWith(text) {
        const found: string[] = [];
        for (const table of await dumpTables()) if ((await readRows(table)).includes(text)) found.push(table);
        return found;
      },
    };
  },
});

async function openShop(storage: StorageAdapter): Promise<Shop> {
  const { loyalty, acme } = openAcme({ storage });
  serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example" });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const { id } = await acme.users.create(previousData);
  // This card of the person was revoked long ago.
  const revokedPass = await acme.passes.create(template.id, { userId: id });
  await loyalty.organization("acme", { actor: { subject: previousData.email } }).stamps.add(revokedPass.id);
  await acme.passes.delete(revokedPass.id);
  const ownPass = await acme.passes.create(template.id, { userId: id });
  await acme.users.update(id, current);
  const friends = await acme.passes.create(template.id, { user: { email: "friend@example.com" } });
  await acme.apps.create({
    name: "Till",
    redirectUris: ["https://app.example/callback"],
    scopes: ["user:read"],
    isPublic: true,
  });
  const pages = createPages(loyalty, { joinLimit: { requests: 1_000, seconds: 60 } });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: [pages] });
  const signUp = (email: string) =>
    api.fetch(
      new Request(`https://shop.example/join/${template.id}`, {
        method: "POST",
        body: new URLSearchParams({ name: "Eve", contact: email, news: "on" }),
      }),
    );
  return { loyalty, acme, templateId: template.id, ownPassId: ownPass.id, friends: friends.id, signUp };
}

/** Delivers all events to a receiver that echoes them. */
async function deliverAll({ loyalty, acme }: Shop, endpointId: string): Promise<void> {
  const worker = createWebhookWorker(loyalty, {
    pollMs: 5,
    send: async ({ body }) => ({ status: 200, retryAfter: null, answer: body }),
  });
  const { content } = await acme.events.list({ limit: 1_000 });
  const last = content.at(-1)?.id;
  const findNewestDelivered = async () => {
    const page = await acme.webhooks.deliveries(endpointId, { status: "delivered", limit: 1 });
    return page.content[0]?.eventId;
  };
  await expect.poll(findNewestDelivered).toBe(last);
  await expect
    .poll(async () => (await acme.webhooks.deliveries(endpointId, { status: "pending" })).content.length)
    .toBe(0);
  await worker.close();
}

/**
 * Folds the parts between zero bytes. Files have pages full of them, no text has one, and the whole content is too
 * long for a regular expression.
 */
function foldAll(text: string): string {
  return text.split("\0").map(fold).join("\0");
}

describe.each(Object.entries(databases))("erasing a person on %s", (name, open) => {
  it("removes all texts that were ever theirs, in every place, case and Unicode form", async () => {
    const { storage, readText } = await open();
    const shop = await openShop(storage);
    const { acme } = shop;
    const { webhookEndpoint } = await acme.webhooks.create({ url: "https://crm.example/hooks" });
    for (const write of Object.values(writings)) {
      for (const [at, text] of spellings.entries()) await write(shop, text, at);
    }
    await deliverAll(shop, webhookEndpoint.id);
    const before = foldAll(await readText());
    if (name !== "memory") for (const text of spellings) expect(before).toContain(fold(text));
    const { content: events } = await acme.events.list({ limit: 1_000 });
    const friendState = await acme.stamps.state(shop.friends);

    await acme.users.erase(current.externalId);

    const after = foldAll(await readText());
    const visibleText = fold(await readEverything(shop, webhookEndpoint.id));
    for (const text of spellings) {
      expect(after.includes(fold(text)), text).toBe(false);
      expect(visibleText.includes(fold(text)), text).toBe(false);
    }
    const remainingEvents = (await acme.events.list({ limit: 1_000 })).content.slice(0, events.length);
    const eventKey = ({ id, type, timestamp }: (typeof events)[number]) => [id, type, timestamp];
    expect(remainingEvents.map(eventKey)).toEqual(events.map(eventKey));
    expect(await acme.stamps.state(shop.friends)).toEqual(friendState);
    expect(await acme.audit.verify()).toMatchObject({ brokenAt: null });
  });

  it("removes all traces of automations that ran for them", async () => {
    const { storage, findTablesWith } = await open();
    const { loyalty, acme, templateId, ownPassId } = await openShop(storage);
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
    const { id: userId } = await acme.users.get(current.externalId);
    const text = { language: "en", subject: "For {name}", text: "Hello {name}", wallet: "{name}!" };
    const { id } = await acme.automations.create({
      name: "Thanks",
      on: { event: "stamp.added" },
      do: [{ message: { templateId, channels: ["email", "wallet"], texts: [text] } }],
      per: { everyDays: 1 },
    });
    for (const note of [current.name, previousData.name]) await acme.stamps.add(ownPassId, { note });
    await loyalty.runAutomations();
    const { automationRuns, messageDeliveries } = await acme.users.dossier(userId);
    expect(automationRuns.map(({ status }) => status)).toEqual(["SKIPPED", "DONE"]);
    expect(messageDeliveries).toMatchObject([{ kind: "automation" }, { kind: "automation" }]);
    const keptTables = ["automation_runs", "automation_completions", "message_deliveries"].map(
      (name) => `loyalty_${name}`,
    );
    if (name !== "memory") expect(await findTablesWith(userId)).toEqual(expect.arrayContaining(keptTables));
    await acme.users.erase(userId);
    const remainingTables = await findTablesWith(userId);
    expect(keptTables.filter((table) => remainingTables.includes(table))).toEqual([]);
    expect((await acme.automations.runs(id)).content).toEqual([]);
    for (const each of Object.values(current)) expect(await findTablesWith(each)).toEqual([]);
  });

  it("makes a repeated call with the same idempotency key fail if it was about them", async () => {
    const { storage } = await open();
    const { acme, ownPassId, templateId } = await openShop(storage);
    await acme.tags.create({ name: "VIP" });
    const { externalId } = current;
    const addedStamps = await acme.stamps.add(ownPassId, { count: 100 });
    const withKey = (idempotencyKey: string) => ({ idempotencyKey });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => acme.stamps.add(ownPassId, { count: 5, ...withKey("add") }),
      () => acme.stamps.remove(ownPassId, { count: 1, ...withKey("remove") }),
      () => acme.stamps.set(ownPassId, { stamps: 2, ...withKey("set") }),
      () => acme.stamps.reset(ownPassId, withKey("reset")),
      () => acme.stamps.redeem(ownPassId, withKey("redeem")),
      () => acme.stamps.redeem(ownPassId, withKey("redeem again")),
      () => acme.stamps.reverse(ownPassId, { entryId: addedStamps.entryId, ...withKey("reverse") }),
      () => acme.tags.assign(externalId, "vip", withKey("assign")),
      () => acme.tags.assign(externalId, "vip", withKey("assign again")),
      () => acme.tags.unassign(externalId, "vip", withKey("unassign")),
      () => acme.tags.unassign(externalId, "vip", withKey("unassign again")),
      () => acme.users.update(externalId, { name: "Zoë", ...withKey("update") }),
      () => acme.users.upsert({ email: current.email, ...withKey("upsert") }),
      () => acme.users.create({ email: current.email, ...withKey("create") }),
      () => acme.passes.create(templateId, { userId: externalId, ...withKey("pass") }),
      () => acme.passes.ensure(templateId, { userId: externalId, ...withKey("ensure") }),
      () => acme.passes.create(templateId, { userId: externalId, notify: true, ...withKey("mailed pass") }),
      () => acme.passes.notify(ownPassId, withKey("mail")),
      () => acme.passes.markInstalled(ownPassId, withKey("installed")),
      () => acme.passes.markUninstalled(ownPassId, withKey("uninstalled")),
    ];
    for (const call of calls) await call().catch(() => {});
    await acme.users.erase(externalId);
    for (const call of calls) expect(await getErrorDetail(call()), String(call)).toEqual(notFound);
    expect((await acme.contacts.list()).content).toMatchObject([{ email: "friend@example.com" }]);
  });

  it("changes no data of another customer, even if it is similar", async () => {
    const { storage } = await open();
    const shop = await openShop(storage);
    const { loyalty, acme, friends, signUp, templateId } = shop;
    const alike = {
      email: `x${current.email}`,
      name: `${current.name} II`,
      externalId: `${current.externalId}-2`,
    };
    const other = await acme.users.create({ ...alike, metadata: { join: { typedEmail: alike.email } } });
    const card = await acme.passes.create(templateId, { userId: other.id });
    for (const subject of [other.id, alike.email, alike.externalId, alike.name]) {
      const as = loyalty.organization("acme", {
        actor: { kind: "customer", subject, receipt: current.email },
      });
      await as.stamps.add(card.id, { note: `${current.name} came along` });
    }
    await signUp(alike.email);
    // Data that once belonged to the person.
    await acme.users.update(other.id, { email: previousData.email, externalId: previousData.externalId });
    for (const subject of [previousData.email, previousData.externalId.toUpperCase()]) {
      await loyalty.organization("acme", { actor: { kind: "customer", subject } }).stamps.add(card.id);
    }
    const all = async () => [
      await acme.users.dossier(other.id),
      (await acme.stamps.history(card.id)).content,
      (await acme.stamps.history(friends)).content,
      (await acme.events.list({ userId: other.id })).content,
    ];
    const before = await all();
    await acme.users.erase(current.externalId);
    expect(await all()).toEqual(before);
  });
});

/** Returns everything that the library shows, as JSON. */
async function readEverything({ acme, friends }: Shop, endpointId: string): Promise<string> {
  const users = [];
  for await (const user of acme.users.list()) users.push(user);
  const deliveries = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await acme.webhooks.deliveries(endpointId, { limit: 200, ...(after && { after }) });
    deliveries.push(...page.content);
    after = page.next;
  }
  return JSON.stringify([
    users,
    (await acme.events.list({ limit: 1_000 })).content,
    (await acme.stamps.history(friends, { size: 200 })).content,
    (await acme.audit.list({ limit: 1_000 })).content,
    await acme.grants.list(),
    deliveries,
  ]);
}
