import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { expect, it, onTestFinished } from "vitest";
import { bundleProgram } from "../kit/bundled-program.js";
import { takePortion } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const KILLS = takePortion(10, 3);

/** Longer than a claim lasts, so that what a killed process had claimed is due again. */
const LATER_MS = 120_000;

/** Starts a receiver that responds quickly and counts how often each event arrives. */
async function startCountingReceiver() {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = String(request.headers["webhook-id"]);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      setTimeout(() => response.writeHead(204).end(), Math.random() * 10);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}/hook`, counts };
}

async function startWorker(file: string) {
  const program = bundleProgram(join(import.meta.dirname, "deliver-until-killed.ts"));
  const child = spawn(process.execPath, [program, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

it("a worker that is killed repeatedly, at any moment, loses no event", async () => {
  const file = createTemporaryFile();
  const { url, counts } = await startCountingReceiver();
  const webhooks = { allowLoopback: true };
  const writer = new LoyaltyService({ storage: await sqliteStorage(file), webhooks });
  const acme = writer.organization("acme");
  await acme.webhooks.create({ url });

  let isWriting = true;
  const writing = (async () => {
    for (let at = 0; isWriting; at += 1) {
      await acme.users.create({ email: `customer-${at}@example.com` });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = await startWorker(file);
    const before = counts.size;
    await expect.poll(() => counts.size, { interval: 5 }).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  isWriting = false;
  await writing;

  const survivor = new LoyaltyService({
    storage: await sqliteStorage(file),
    webhooks,
    clock: () => Date.now() + LATER_MS,
  });
  const worker = createWebhookWorker(survivor, { pollMs: 20 });
  const events: string[] = [];
  for (let next = "0"; ; ) {
    const page = await acme.events.list({ after: next, limit: 1_000 });
    events.push(...page.content.map(({ id }) => id));
    if (page.content.length === 0) break;
    next = page.next;
  }
  await expect.poll(() => events.filter((id) => !counts.has(id))).toEqual([]);
  expect(events.length).toBeGreaterThan(50 * KILLS);
  await worker.close();
  await survivor.close();
  await writer.close();
});
