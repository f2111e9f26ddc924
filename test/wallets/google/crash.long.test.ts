import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createFakeGoogle } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { bundleProgram } from "../../kit/bundled-program.js";
import { createPlace } from "../../postgres/place.js";
import { takePortion } from "../../properties/runs.js";
import { createTemporaryFile } from "../../sqlite/temporary-file.js";
import type { Setup } from "./deliver-until-killed.js";

const KILLS = takePortion(10, 4);
const CARDS = 10;
const PUBLIC_URL = "https://shop.example";

/**
 * Longer than a claim lasts. The clock of each process is this far ahead of the previous one's, so its claims are due
 * again.
 */
const LATER_MS = 61_000;

async function onSqlite() {
  const place = createTemporaryFile();
  return { place, storage: await sqliteStorage(place) };
}

async function onPostgres() {
  const { url: place, remove } = await createPlace();
  const pool = new pg.Pool({ connectionString: place });
  onTestFinished(async () => {
    await pool.end();
    await remove();
  });
  return { place, storage: await postgresStorage(pool) };
}

it.each<[string, () => Promise<{ place: string; storage: StorageAdapter }>]>([
  ["SQLite", onSqlite],
  ["Postgres", onPostgres],
])(
  "a process killed repeatedly at any moment leaves no card at Google outdated or with a duplicate message, on %s",
  async (_, open) => {
    const { place, storage } = await open();
    let aheadMs = 0;
    const fake = await createFakeGoogle({ now: () => Date.now() + aheadMs });
    const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = fake;
    const google = { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl, callsPerSecond: 1_000 };
    const loyalty = new LoyaltyService({ storage });
    const wallets = createWallets(loyalty, { publicUrl: PUBLIC_URL, google, deliver: false });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: [wallets.http] });
    fake.sendBy(api.fetch);
    const acme = loyalty.organization("acme");
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
    await acme.messageSettings.update({ walletByDefault: true, cap: null });
    const ids: string[] = [];
    for (let at = 0; at < CARDS; at += 1) {
      const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
      const { google: link } = await acme.passes.walletLinks(id);
      const { headers } = await api.fetch(new Request(link ?? ""));
      await fake.save(headers.get("location") ?? "");
      ids.push(id);
    }

    /**
     * Sends a message to all cards.
     * @returns its id.
     */
    const send = async () => {
      const { id } = await acme.messages.create({
        ...{ name: "News", audience: { all: true }, channels: ["wallet"], templateId: template.id },
        texts: [{ language: "en", wallet: "Cake, and {toGo} to go" }],
      });
      await acme.messages.send(id);
      return id;
    };

    const startWorker = async () => {
      aheadMs += LATER_MS;
      const setup: Setup = { place, google, publicUrl: PUBLIC_URL, aheadMs };
      const program = bundleProgram(join(import.meta.dirname, "deliver-until-killed.ts"));
      const child = spawn(process.execPath, [program, JSON.stringify(setup)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      return child;
    };
    const countPatches = () => fake.calls.filter((call) => call.startsWith("PATCH /loyaltyObject")).length;
    let isWriting = true;
    const writing = (async () => {
      for (let at = 0; isWriting; at += 1) {
        await acme.stamps.add(ids[at % CARDS] ?? "");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    let newest = "";
    for (let kill = 0; kill < KILLS; kill += 1) {
      if (kill % 3 === 0) newest = await send();
      const child = await startWorker();
      const before = countPatches();
      await expect.poll(countPatches, { interval: 5 }).toBeGreaterThan(before);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    isWriting = false;
    await writing;

    const survivor = await startWorker();
    const listStale = async () => {
      const stale: string[] = [];
      for (const id of ids) {
        const { currentStamps, maxStamps } = await acme.stamps.state(id);
        const points: { balance?: { string?: string } } = Object(
          fake.objects.get(`${issuerId}.${id}`)?.content.loyaltyPoints,
        );
        if (points.balance?.string !== `${currentStamps}/${maxStamps}`) stale.push(id);
      }
      return stale;
    };
    await expect.poll(listStale, { timeout: 60_000, interval: 200 }).toEqual([]);
    await expect
      .poll(async () => (await acme.messages.get(newest)).sums, { timeout: 60_000, interval: 200 })
      .toMatchObject({ accepted: CARDS, pending: 0, sending: 0 });
    for (const id of ids) {
      const messages = fake.messagesOn(`${issuerId}.${id}`).map((message) => message.id);
      expect(messages.filter((message) => message !== "next")).toEqual([newest]);
    }
    const notices = fake.notices
      .filter(({ messageId }) => messageId !== null)
      .map(({ objectId, messageId }) => `${objectId} ${messageId}`);
    expect(notices).toHaveLength(new Set(notices).size);
    expect([fake.doubles, fake.complaints]).toEqual([[], []]);
    survivor.kill("SIGKILL");
    await once(survivor, "exit");
    await wallets.close();
    await loyalty.close();
    await fake.close();
  },
);
