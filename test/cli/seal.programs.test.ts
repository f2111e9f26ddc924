import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { emptyFolder, loyaltyKit, serve } from "./command.js";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

const [first, second] = ["first", "second"].map((name) => name.padEnd(32, "*"));

async function withEndpoint() {
  const database = join(emptyFolder(), "loyalty.db");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
  await loyalty.organization("acme").webhooks.create({ url: "https://receiver.example/" });
  await loyalty.close();
  return database;
}

async function secretIn(database: string) {
  const storage = await sqliteStorage(database);
  const [owned] = await runStep(storage.webhookEndpointsAfter(null, 1));
  await storage.close();
  return owned?.endpoint.secret;
}

describe.concurrent("seal", () => {
  it("seals what was stored without a key, which the server needs from then on; copies and checks don't", async () => {
    const database = await withEndpoint();
    const environment = { LOYALTY_SECRET_KEYS: `${second}, ${first}` };
    expect(await loyaltyKit(["seal", "--database", database], environment)).toMatchObject({
      code: 0,
      stdout: "encrypted secrets for 1 webhook endpoints and 0 cards, and emails for 0 organizations\n",
    });
    const sealed = await secretIn(database);
    expect(sealed).toMatch(/^sealed\./);

    const keyless = [{}, { LOYALTY_SECRET_KEYS: String(first) }];
    for (const wrong of keyless) {
      const refused = await loyaltyKit(["serve", "--port", "0", "--database", database], wrong);
      expect(refused).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^loyalty-kit: the webhook secret of .* is sealed with another key .*\n$/,
        ),
      });
    }
    const { process } = await serve(["--database", database], { LOYALTY_SECRET_KEYS: String(second) });
    process.kill();

    const copy = await newDatabase();
    expect(await ran(["copy", "--from", database, "--to", copy])).toMatchObject({ code: 0 });
    expect(await secretIn(copy)).toBe(sealed);
    expect(await ran(["check", "--database", copy])).toMatchObject({ code: 0 });
  });

  it("needs keys that are long enough, and a database that is there", async () => {
    const database = join(emptyFolder(), "none.db");
    const told = (key: string) => loyaltyKit(["seal", "--database", database], { LOYALTY_SECRET_KEYS: key });
    expect(await told("")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not set") });
    expect(await told(`${first},short`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("32 bytes"),
    });
    expect(await told(String(first))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("doesn't exist"),
    });
  });
});
