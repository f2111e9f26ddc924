import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const [first, second] = ["first", "second"].map((name) => name.padEnd(32, "*"));

async function createWithEndpoint() {
  const database = join(createEmptyFolder(), "loyalty.db");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
  await loyalty.organization("acme").webhooks.create({ url: "https://receiver.example/" });
  await loyalty.close();
  return database;
}

async function readSecret(database: string) {
  const storage = await sqliteStorage(database);
  const [endpoint] = await runStep(storage.all.webhookEndpointsAfter(null, 1));
  await storage.close();
  return endpoint?.endpoint.secret;
}

describe.concurrent("seal", () => {
  it("encrypts secrets stored without a key, which the server then requires, but copy and check don't", async () => {
    const database = await createWithEndpoint();
    const environment = { LOYALTY_SECRET_KEYS: `${second}, ${first}` };
    expect(await runLoyaltyKit(["seal", "--database", database], environment)).toMatchObject({
      code: 0,
      stdout: "encrypted secrets for 1 webhook endpoints and 0 cards, and emails for 0 organizations\n",
    });
    const secret = await readSecret(database);
    expect(secret).toMatch(/^sealed\./);

    const keyless = [{}, { LOYALTY_SECRET_KEYS: String(first) }];
    for (const wrong of keyless) {
      const failure = await runLoyaltyKit(["serve", "--port", "0", "--database", database], wrong);
      expect(failure).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^loyalty-kit: the webhook secret of .* is sealed with another key .*\n$/,
        ),
      });
    }
    const { process } = await startServer(["--database", database], { LOYALTY_SECRET_KEYS: String(second) });
    process.kill();

    const copy = await createDatabase();
    expect(await runCommand(["copy", "--from", database, "--to", copy])).toMatchObject({ code: 0 });
    expect(await readSecret(copy)).toBe(secret);
    expect(await runCommand(["check", "--database", copy])).toMatchObject({ code: 0 });
  });

  it("requires keys that are long enough, and an existing database", async () => {
    const database = join(createEmptyFolder(), "none.db");
    const sealWith = (key: string) =>
      runLoyaltyKit(["seal", "--database", database], { LOYALTY_SECRET_KEYS: key });
    expect(await sealWith("")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not set") });
    expect(await sealWith(`${first},short`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("32 bytes"),
    });
    expect(await sealWith(String(first))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("doesn't exist"),
    });
  });
});
