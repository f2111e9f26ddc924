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
import { createPlacePool } from "../postgres/kept-places.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** What somebody was called once, and is now. */
const former = {
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

/** Each in other cases and forms, as somebody may have typed it. */
const texts = [former, current].flatMap((known) =>
  Object.values(known).flatMap((text) => [
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
  /** The person's, and of a friend. */
  readonly own: string;
  readonly friends: string;
  readonly join: (email: string) => Promise<Response>;
}

/** Every place where a text of a person may be written, and how it gets there. */
const writings: Readonly<Record<string, (shop: Shop, text: string, at: number) => Promise<unknown>>> = {
  "who stamped the person's card": ({ loyalty, own }, subject) =>
    loyalty.organization("acme", { actor: { kind: "token", id: "akt_1", subject } }).stamps.add(own),
  "who stamped another's card": ({ loyalty, friends }, subject) =>
    loyalty.organization("acme", { actor: { kind: "token", id: "akt_1", subject } }).stamps.add(friends),
  "where, and for which purchase, the person's card was stamped": ({ loyalty, own }, text) =>
    loyalty
      .organization("acme", {
        actor: { kind: "app", id: text, location: `at ${text}`, receipt: `${text}/991` },
      })
      .stamps.add(own),
  "a note on the person's card": ({ acme, own }, note) => acme.stamps.add(own, { note: `for ${note}` }),
  "who administered": ({ loyalty }, subject) =>
    loyalty
      .organization("acme", { actor: { kind: "console", subject } })
      .apiTokens.create({ name: "Till", scopes: ["user:read"] }),
  "who let an app in": async ({ acme }, subject) => {
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
  "what a mail server answered about the person": async ({ loyalty, acme, templateId }, text, at) => {
    await acme.passes.create(templateId, { userId: current.externalId, notify: true });
    const mail = serviceInternals(loyalty).mailBackend();
    const outcome = {
      result: { kind: "accepted", code: 250, answer: `${text} has it` },
      at,
      durationMs: 1,
    } as const;
    for (const { lease, delivery, to } of await mail.claim("acme", "pass", 10)) {
      await mail.recordResults("acme", "pass", lease, [{ deliveryId: delivery.id, to, ...outcome }]);
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
  "mails to the person that came back": ({ acme }, email, at) =>
    acme.messageDeliveries.bounceAddress({ email, kind: "soft", idempotencyKey: `bounced ${email} ${at}` }),
  "answers kept for a key": ({ acme, own }, text, at) =>
    acme.stamps.add(own, { note: text, idempotencyKey: `note ${text} ${at}` }),
  "an email typed by who joined": async ({ join }, text) => {
    // A former one is nobody's, and so would be that of who joins.
    if (fold(text) === fold(current.email)) expect((await join(text)).status).toBe(303);
  },
};

interface Database {
  readonly storage: StorageAdapter;
  /** All that is written down, in whichever files. */
  readonly written: () => Promise<string>;
  /** The tables that have a row with a text. */
  readonly tablesWith: (text: string) => Promise<string[]>;
}

const newPlace = createPlacePool(async () => {});

const databases = openForRun<() => Promise<Database>>({
  memory: async () => {
    const { memoryStorage } = await import("loyalty-kit/memory");
    return { storage: memoryStorage(), written: async () => "", tablesWith: async () => [] };
  },
  sqlite: async () => {
    const file = createTemporaryFile();
    const storage = await sqliteStorage(file);
    let backups = 0;
    return {
      storage,
      async written() {
        backups += 1;
        const backup = `${file}.backup-${backups}`;
        await backupSqlite(file, backup);
        const files = [file, `${file}-wal`, `${file}-shm`, backup].filter(existsSync);
        return files.map((name) => readFileSync(name, "utf8")).join("\n");
      },
      async tablesWith(text) {
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
    const tables = async () => {
      const names =
        "select table_name as name from information_schema.tables where table_schema = current_schema";
      return (await pool.query<{ name: string }>(names)).rows.map(({ name }) => name);
    };
    const rowsOf = async (table: string) => {
      const found = await pool.query(`select t::text as row from ${table} t`);
      return found.rows.map(({ row }) => row).join("\n");
    };
    return {
      storage: await postgresStorage(pool),
      async written() {
        const rows = (await tables()).map(rowsOf);
        return (await Promise.all(rows)).join("\n");
      },
      async tablesWith(text) {
        const found: string[] = [];
        for (const table of await tables()) if ((await rowsOf(table)).includes(text)) found.push(table);
        return found;
      },
    };
  },
});

async function openShop(storage: StorageAdapter): Promise<Shop> {
  const { loyalty, acme } = openAcme({ storage });
  serviceInternals(loyalty).mailBackend().attachSender({ host: "mail.example" });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const { id } = await acme.users.create(former);
  // Whose card was revoked long before.
  const revoked = await acme.passes.create(template.id, { userId: id });
  await loyalty.organization("acme", { actor: { subject: former.email } }).stamps.add(revoked.id);
  await acme.passes.delete(revoked.id);
  const own = await acme.passes.create(template.id, { userId: id });
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
  const join = (email: string) =>
    api.fetch(
      new Request(`https://shop.example/join/${template.id}`, {
        method: "POST",
        body: new URLSearchParams({ name: "Eve", email, consent: "yes", news: "on" }),
      }),
    );
  return { loyalty, acme, templateId: template.id, own: own.id, friends: friends.id, join };
}

/** Delivers all there is to a receiver who answers with what it gets. */
async function deliverAll({ loyalty, acme }: Shop, endpointId: string): Promise<void> {
  const worker = createWebhookWorker(loyalty, {
    pollMs: 5,
    send: async ({ body }) => ({ status: 200, retryAfter: null, answer: body }),
  });
  const { content } = await acme.events.list({ limit: 1_000 });
  const last = content.at(-1)?.id;
  const newest = async () => {
    const page = await acme.webhooks.deliveries(endpointId, { status: "delivered", limit: 1 });
    return page.content[0]?.eventId;
  };
  await expect.poll(newest).toBe(last);
  await expect
    .poll(async () => (await acme.webhooks.deliveries(endpointId, { status: "pending" })).content.length)
    .toBe(0);
  await worker.close();
}

/** Files have pages full of zeros, which no text has; all of it at once is more than a regular expression takes. */
function foldedAll(written: string): string {
  return written.split("\0").map(fold).join("\0");
}

describe.each(Object.entries(databases))("what is left of an erased person on %s", (name, open) => {
  it("is none of the texts that were ever theirs, in any place, case or form", async () => {
    const { storage, written } = await open();
    const shop = await openShop(storage);
    const { acme } = shop;
    const { webhookEndpoint } = await acme.webhooks.create({ url: "https://crm.example/hooks" });
    for (const write of Object.values(writings)) {
      for (const [at, text] of spellings.entries()) await write(shop, text, at);
    }
    await deliverAll(shop, webhookEndpoint.id);
    const before = foldedAll(await written());
    if (name !== "memory") for (const text of spellings) expect(before).toContain(fold(text));
    const { content: events } = await acme.events.list({ limit: 1_000 });
    const ofFriend = await acme.stamps.state(shop.friends);

    await acme.users.erase(current.externalId);

    const after = foldedAll(await written());
    const seen = fold(await everything(shop, webhookEndpoint.id));
    for (const text of spellings) {
      expect(after.includes(fold(text)), text).toBe(false);
      expect(seen.includes(fold(text)), text).toBe(false);
    }
    const left = (await acme.events.list({ limit: 1_000 })).content.slice(0, events.length);
    const place = ({ id, type, timestamp }: (typeof events)[number]) => [id, type, timestamp];
    expect(left.map(place)).toEqual(events.map(place));
    expect(await acme.stamps.state(shop.friends)).toEqual(ofFriend);
    expect(await acme.audit.verify()).toMatchObject({ brokenAt: null });
  });

  it("is nothing of what automations did for them", async () => {
    const { storage, tablesWith } = await open();
    const { loyalty, acme, templateId, own } = await openShop(storage);
    serviceInternals(loyalty)
      .walletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
    const { id: userId } = await acme.users.get(current.externalId);
    const text = { language: "en", subject: "For {name}", text: "Hello {name}", wallet: "{name}!" };
    const { id } = await acme.automations.create({
      name: "Thanks",
      on: { event: "stamp.added" },
      do: [{ message: { templateId, channels: ["email", "wallet"], texts: [text] } }],
      per: { everyDays: 1 },
    });
    for (const note of [current.name, former.name]) await acme.stamps.add(own, { note });
    await loyalty.runAutomations();
    const { automationRuns, messageDeliveries } = await acme.users.dossier(userId);
    expect(automationRuns.map(({ status }) => status)).toEqual(["SKIPPED", "DONE"]);
    expect(messageDeliveries).toMatchObject([{ kind: "automation" }, { kind: "automation" }]);
    const kept = ["automation_runs", "automation_completions", "message_deliveries"].map(
      (name) => `loyalty_${name}`,
    );
    if (name !== "memory") expect(await tablesWith(userId)).toEqual(expect.arrayContaining(kept));
    await acme.users.erase(userId);
    const left = await tablesWith(userId);
    expect(kept.filter((table) => left.includes(table))).toEqual([]);
    expect((await acme.automations.runs(id)).content).toEqual([]);
    for (const each of Object.values(current)) expect(await tablesWith(each)).toEqual([]);
  });

  it("answers no repeat of a call that was about them", async () => {
    const { storage } = await open();
    const { acme, own, templateId } = await openShop(storage);
    await acme.tags.create({ name: "VIP" });
    const { externalId } = current;
    const added = await acme.stamps.add(own, { count: 100 });
    const key = (idempotencyKey: string) => ({ idempotencyKey });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => acme.stamps.add(own, { count: 5, ...key("add") }),
      () => acme.stamps.remove(own, { count: 1, ...key("remove") }),
      () => acme.stamps.set(own, { stamps: 2, ...key("set") }),
      () => acme.stamps.reset(own, key("reset")),
      () => acme.stamps.redeem(own, key("redeem")),
      () => acme.stamps.redeem(own, key("redeem again")),
      () => acme.stamps.reverse(own, { entryId: added.entryId, ...key("reverse") }),
      () => acme.tags.assign(externalId, "vip", key("assign")),
      () => acme.tags.assign(externalId, "vip", key("assign again")),
      () => acme.tags.unassign(externalId, "vip", key("unassign")),
      () => acme.tags.unassign(externalId, "vip", key("unassign again")),
      () => acme.users.update(externalId, { name: "Zoë", ...key("update") }),
      () => acme.users.upsert({ email: current.email, ...key("upsert") }),
      () => acme.users.create({ email: current.email, ...key("create") }),
      () => acme.passes.create(templateId, { userId: externalId, ...key("pass") }),
      () => acme.passes.ensure(templateId, { userId: externalId, ...key("ensure") }),
      () => acme.passes.create(templateId, { userId: externalId, notify: true, ...key("mailed pass") }),
      () => acme.passes.notify(own, key("mail")),
      () => acme.passes.markInstalled(own, key("installed")),
      () => acme.passes.markUninstalled(own, key("uninstalled")),
    ];
    for (const call of calls) await call().catch(() => {});
    await acme.users.erase(externalId);
    for (const call of calls) expect(await getErrorDetail(call()), String(call)).toEqual(notFound);
    expect((await acme.contacts.list()).content).toMatchObject([{ email: "friend@example.com" }]);
  });

  it("is all of what is somebody else's, though it sounds alike", async () => {
    const { storage } = await open();
    const shop = await openShop(storage);
    const { loyalty, acme, friends, join, templateId } = shop;
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
    await join(alike.email);
    // What was the person's once.
    await acme.users.update(other.id, { email: former.email, externalId: former.externalId });
    for (const subject of [former.email, former.externalId.toUpperCase()]) {
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

/** What the interface shows of all of it. */
async function everything({ acme, friends }: Shop, endpointId: string): Promise<string> {
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
