import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { expect, it } from "vitest";
import { openSending } from "../messages/sending/sending-scene.js";
import { createTemporaryFile } from "./temporary-file.js";

const CUSTOMERS = 300;

/** Returns the strings that are passed to statements during the work. */
async function recordTexts(work: () => Promise<unknown>): Promise<readonly string[]> {
  const database = new Database(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("select 1"));
  database.close();
  const { run, all } = prototype;
  const texts: string[] = [];
  const recordValues = (call: (...values: unknown[]) => unknown) =>
    function (this: unknown, ...values: unknown[]) {
      texts.push(...values.flat().filter((value) => typeof value === "string"));
      return Reflect.apply(call, this, values);
    };
  Object.assign(prototype, { run: recordValues(run), all: recordValues(all) });
  try {
    await work();
    return texts;
  } finally {
    Object.assign(prototype, { run, all });
  }
}

it("the texts and the audience of a message aren't written again with each claim of its mails", async () => {
  const { acme, draft, get, mail, sent } = await openSending({
    storage: await sqliteStorage(createTemporaryFile()),
  });
  await acme.users.import(
    Array.from({ length: CUSTOMERS }, (_, at) => ({
      ...{ email: `customer-${at}@example.com`, emailConsent: "SUBSCRIBED" as const },
      consentAt: "2020-01-01T00:00:00Z",
    })),
  );
  const userIds: string[] = [];
  for await (const { id } of acme.users.list()) userIds.push(id);
  const text = "There is coffee. ".repeat(1_000);
  const { id } = await draft({ audience: { userIds }, texts: [{ language: "en", subject: "News", text }] });
  const texts = await recordTexts(async () => {
    await acme.messages.send(id);
    await mail.runOnce();
  });
  expect(await get(id)).toMatchObject({ status: "SENT", sums: { accepted: CUSTOMERS } });
  expect(sent).toHaveLength(CUSTOMERS);
  expect(texts.length).toBeGreaterThan(CUSTOMERS);
  expect(texts.filter((each) => each.includes(text))).toEqual([]);
  // The events of its start and its end contain the audience.
  expect(texts.filter((each) => each.includes(`"userIds":["`))).toHaveLength(2);
});
