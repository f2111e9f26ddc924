import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWallets } from "loyalty-kit/wallets";
import { createFakeApns, createFakePki, FakeIPhone, fieldsOf } from "loyalty-kit/wallets/testing";
import { expect, it } from "vitest";
import { temporaryFile } from "../sqlite/temporary-file.js";

const KILLS = 10;
const CARDS = 20;

/** Longer than a claim holds: what a killed process had claimed is due again. */
const LATER_MS = 120_000;

it("a process that is killed at any moment, again and again, leaves no phone in an old state", {
  timeout: 120_000,
}, async () => {
  const file = temporaryFile();
  const pki = createFakePki();
  const apns = await createFakeApns(pki);
  const { certificate, key } = pki.pass;
  const apple = {
    ...{ certificate, key, wwdr: pki.wwdr, organizationName: "Shop" },
    ...{ pushUrl: apns.url, pushCa: pki.root },
  };
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const wallets = createWallets(loyalty, { publicUrl: "https://shop.example", apple, delivers: false });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: [wallets.http] });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const phones = new Map<string, FakeIPhone>();
  const ids: string[] = [];
  for (let at = 0; at < CARDS; at += 1) {
    const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
    const phone = new FakeIPhone({ fetch: api.fetch, root: pki.root, deviceId: `phone-${at}` });
    await phone.add((await acme.passes.walletLinks(id)).apple ?? "");
    phones.set(phone.pushToken, phone);
    ids.push(id);
  }
  let asking: Promise<unknown> = Promise.resolve();
  apns.onPush = ({ pushToken }) => {
    asking = asking.then(() => phones.get(pushToken)?.pushed());
  };

  const startWorker = async (aheadMs: number) => {
    const program = join(import.meta.dirname, "deliver-until-killed.ts");
    const setup = JSON.stringify({ apple, aheadMs });
    const child = spawn(process.execPath, ["--import", "tsx", program, file, setup], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    return child;
  };
  let isWriting = true;
  const writing = (async () => {
    for (let at = 0; isWriting; at += 1) {
      await acme.stamps.add(ids[at % CARDS] ?? "");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = await startWorker(0);
    const before = apns.pushes.length;
    await expect.poll(() => apns.pushes.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  isWriting = false;
  await writing;

  const survivor = await startWorker(LATER_MS);
  const old = async () => {
    await asking;
    const stale: string[] = [];
    for (const [at, phone] of [...phones.values()].entries()) {
      const pass = phone.passes.get(ids[at] ?? "");
      const { currentStamps, maxStamps } = await acme.stamps.state(ids[at] ?? "");
      const shown = pass && fieldsOf(pass).get("stamps")?.value;
      if (shown !== `${currentStamps}/${maxStamps}`) stale.push(phone.deviceId);
    }
    return stale;
  };
  await expect.poll(old, { timeout: 30_000, interval: 200 }).toEqual([]);
  expect([...phones.values()].flatMap(({ complaints }) => complaints)).toEqual([]);
  survivor.kill("SIGKILL");
  await once(survivor, "exit");
  await wallets.close();
  await loyalty.close();
  await apns.close();
});
