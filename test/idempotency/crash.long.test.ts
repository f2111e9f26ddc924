import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { bundleProgram } from "../kit/bundled-program.js";
import { takePortion } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { addReceipts, RECEIPTS } from "./receipts.js";

const KILLS = takePortion(8, 4);

it("a call with an idempotency key has one effect, however many times it is killed and retried", async () => {
  const file = createTemporaryFile();
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 7 });
  const pass = await acme.passes.create(card.id, { user: { email: "ada@example.com" } });

  const stamps: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await runTillUntilKilled(file, pass.id, 20 + Math.random() * 60 * kill);
    stamps.push((await acme.stamps.state(pass.id)).totalStampsCollected);
  }
  expect(stamps.some((count) => count > 0 && count < RECEIPTS)).toBe(true);

  await addReceipts(acme, pass.id);
  expect(await acme.stamps.state(pass.id)).toMatchObject({
    totalStampsCollected: RECEIPTS,
    timesCompleted: Math.floor(RECEIPTS / 7),
  });
  const { content } = await acme.events.list({ types: ["stamp.added"], limit: 1_000 });
  expect(content).toHaveLength(RECEIPTS);
});

async function runTillUntilKilled(file: string, passId: string, after: number): Promise<void> {
  const program = bundleProgram(join(import.meta.dirname, "till.ts"));
  const till = spawn(process.execPath, [program, file, passId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(till, "exit");
  await once(till.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, after));
  till.kill("SIGKILL");
  await exit;
}
