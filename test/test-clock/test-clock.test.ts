import { readdirSync, readFileSync } from "node:fs";
import type { CreateAutomation } from "loyalty-kit";
import { type TestLoyaltyOptions, type TestOrganization, testLoyalty } from "loyalty-kit/testing";
import { verifyWebhook } from "loyalty-kit/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { untyped } from "../kit/refusal.js";

/** Opens a test of a host, in Vienna on a Sunday in March, and closes it at the end. */
async function openTest(options: Partial<TestLoyaltyOptions> = {}) {
  const test = await testLoyalty({ at: "2026-03-01T09:00", timeZone: "Europe/Vienna", ...options });
  onTestFinished(() => test.close());
  return test;
}

function createAutomation(cafe: TestOrganization, on: CreateAutomation["on"], subject: string) {
  const texts = [{ language: "en", subject, text: "Hello {name}," }];
  const { automations } = cafe.organization;
  return automations.create({ name: subject, on, do: [{ message: { channels: ["email"], texts } }] });
}

const toIso = ({ date }: { readonly date: Date }) => date.toISOString();

describe("a test clock", () => {
  it("sends a rendered welcome mail, once due work is run", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    await createAutomation(cafe, { event: "user.created" }, "Welcome");
    await cafe.customer({ email: "anna@example.com", name: "Anna", isSubscribed: true });
    expect(test.mails).toEqual([]);
    await test.runDue();
    const [mail] = test.mails;
    expect(mail).toMatchObject({ to: "anna@example.com", subject: "Welcome" });
    expect(mail?.text).toContain("Hello Anna,");
    expect(mail?.headers["List-Unsubscribe"]).toContain("https://loyalty.example.com/");
    expect(test.now.toISOString()).toBe("2026-03-01T08:00:00.000Z");
  });

  it("sends birthday wishes at their local time, even if clocks have changed before", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    await createAutomation(
      cafe,
      { date: { metadata: ["birthday"], daysBefore: 0, at: "09:30" } },
      "Happy birthday",
    );
    await cafe.customer({ metadata: { birthday: "1990-04-10" }, isSubscribed: true });
    await test.advanceTo("2026-04-10");
    expect(test.mails).toEqual([]);
    await test.advance("1d");
    expect(test.mails.map(toIso)).toEqual(["2026-04-10T07:30:00.000Z"]);
    await test.advance("1w");
    expect(test.mails).toHaveLength(1);
  });

  it("mails customers who haven't come for 60 days, at the midnight after that, and no others", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    const { segments } = cafe.organization;
    const filter = { operator: "AND", conditions: [{ lastVisit: { beforeDays: 60 } }] } as const;
    const { slug } = await segments.create({ name: "Away", filter, emitsEvents: true });
    await createAutomation(cafe, { segmentEntered: slug }, "We miss you");
    const anna = await cafe.customer({ email: "anna@example.com", stamps: 7, isSubscribed: true });
    const ben = await cafe.customer({ email: "ben@example.com", stamps: 1, isSubscribed: true });
    await test.advance("30d");
    await ben.stamp();
    await test.advance("30d");
    expect(test.mails).toEqual([]);
    await test.advance("1d");
    expect(test.mails.map(({ to }) => to)).toEqual([anna.email]);
    expect(test.mails.map(toIso)).toEqual(["2026-04-30T22:00:00.000Z"]);
    await test.advance("30d");
    expect(test.mails.map(({ to }) => to)).toEqual([anna.email, ben.email]);
  });

  it("retries a webhook at the times of its schedule, until it succeeds", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    const hook = await cafe.webhook({ types: ["stamp_card.completed"], answers: [503, 500, 200] });
    const anna = await cafe.customer({ stamps: 9 });
    await anna.stamp();
    await test.advance("1h");
    expect(hook.deliveries.map(({ status, at }) => [status, at.toISOString()])).toEqual([
      [503, "2026-03-01T08:00:00.000Z"],
      [500, "2026-03-01T08:00:05.000Z"],
      [200, "2026-03-01T08:05:05.000Z"],
    ]);
    const [first, , last] = hook.deliveries;
    expect(last?.event).toEqual(first?.event);
    expect(first?.event).toMatchObject({ type: "stamp_card.completed", data: { rewardsAvailable: 1 } });
    await test.advance("30d");
    expect(hook.deliveries).toHaveLength(3);
  });

  it("continues though an endpoint doesn't receive the newest events, and still retries it on time", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    const hook = await cafe.webhook({ types: ["stamp_card.completed"], answers: [503, 200] });
    const received: string[] = [];
    const receive = async (request: Request) => {
      received.push(JSON.parse(await request.text()).type);
      return new Response();
    };
    await cafe.webhook({ types: ["stamp_card.completed"], receive });
    const anna = await cafe.customer({ stamps: 9 });
    await test.advance("60d");
    expect(test.webhooks).toEqual([]);
    await anna.stamp();
    await test.runDue();
    await cafe.customer({ stamps: 1 });
    await test.advance("60d");
    expect(hook.deliveries.map(({ status, at }) => [status, at.toISOString()])).toEqual([
      [503, "2026-04-30T07:00:00.000Z"],
      [200, "2026-04-30T07:00:05.000Z"],
    ]);
    expect(received).toEqual(["stamp_card.completed"]);
  });

  it("gives up an endpoint that fails for five days", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    const hook = await cafe.webhook({ types: ["user.created"], answers: [500] });
    await cafe.customer();
    await test.advance("7d");
    expect(hook.deliveries).toHaveLength(10);
    expect((await cafe.organization.webhooks.get(hook.id)).disabledReason).toBe(null);
    await cafe.customer();
    await test.runDue();
    expect((await cafe.organization.webhooks.get(hook.id)).disabledReason).toBe("failing");
  });

  it("delivers webhooks to the app's own endpoints, which can verify them", async () => {
    let secret = "";
    const received: string[] = [];
    const test = await openTest({
      receive: async (request) => {
        const clock = () => test.clock();
        const headers = Object.fromEntries(request.headers);
        received.push(verifyWebhook(headers, await request.text(), secret, { clock }).type);
        return new Response(null, { status: 204 });
      },
    });
    const { webhooks, users } = test.loyalty.organization("app");
    ({ secret } = await webhooks.create({ url: "https://app.example.com/hooks" }));
    await users.create({ email: "anna@example.com" });
    await test.runDue();
    expect(received).toEqual(["user.created"]);
    expect(test.webhooks).toMatchObject([{ status: 204, event: { type: "user.created" } }]);
  });

  it("records an attempt whose receiver throws, and retries it", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    let isBroken = true;
    const hook = await cafe.webhook({
      receive: () => {
        if (isBroken) throw new Error("not today");
        return new Response();
      },
    });
    await cafe.customer();
    await test.runDue();
    isBroken = false;
    await test.advance("1m");
    expect(hook.deliveries.map(({ status }) => status)).toEqual([null, 200]);
  });

  it("pushes to customers' wallets, and shows what their phones show", async () => {
    const test = await openTest({ wallets: true });
    const cafe = await test.organization();
    const anna = await cafe.customer({ stamps: 1 });
    const ben = await cafe.customer({ stamps: 1 });
    await anna.card.addTo("apple");
    await ben.card.addTo("google");
    await test.advance("1h");
    expect(test.pushes).toEqual([]);
    await anna.stamp(7);
    await ben.stamp(7);
    await test.runDue();
    const at = new Date("2026-03-01T09:00:00Z");
    expect(test.pushes).toEqual([
      { platform: "apple", passId: anna.card.id, text: "2 more to go", at },
      { platform: "google", passId: ben.card.id, text: "2 more to go", at },
    ]);
  });

  it("removes a message from the card when it is over", async () => {
    const test = await openTest({ wallets: true });
    const cafe = await test.organization();
    const template = await cafe.template();
    const anna = await cafe.customer({ templateId: template.id, isSubscribed: true });
    await anna.card.addTo("apple");
    await test.runDue();
    const { messages } = cafe.organization;
    const message = await messages.create({
      ...{ name: "Cake", audience: { all: true }, templateId: template.id, channels: ["wallet"] },
      texts: [{ language: "en", wallet: "Cake today" }],
    });
    await messages.send(message.id);
    await test.advance("1h");
    expect(test.pushes.map(({ text }) => text)).toEqual(["Cake today"]);
    const readCardMessage = () => serviceInternals(test.loyalty).findCardMessage(cafe.id, anna.card.id);
    expect(await readCardMessage()).not.toBe(null);
    await test.advance("7d");
    expect(await readCardMessage()).toBe(null);
  });

  it("lets API tokens expire", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    const { token } = await cafe.organization.apiTokens.create({
      ...{ name: "till", scopes: ["user:read"], expiresAt: "2026-03-08T00:00:00Z" },
    });
    expect(await test.loyalty.verifyApiToken(token)).not.toBe(null);
    await test.advance("1w");
    expect(await test.loyalty.verifyApiToken(token)).toBe(null);
  });

  it("runs due work in order of time, not only at the end", async () => {
    const test = await openTest();
    const cafe = await test.organization();
    await cafe.organization.messageSettings.update({ quietHours: { from: "21:00", to: "08:00" } });
    const { messages } = cafe.organization;
    await cafe.customer({ email: "anna@example.com", isSubscribed: true });
    for (const [name, sendAt] of [
      ["late", "2026-03-03T22:30:00Z"],
      ["early", "2026-03-02T12:00:00Z"],
    ] as const) {
      const texts = [{ language: "en", subject: name, text: name }];
      const audience = { all: true } as const;
      const message = await messages.create({ name, audience, channels: ["email"], texts, sendAt });
      await messages.send(message.id);
    }
    await test.advance("10d");
    expect(test.mails.map((mail) => [mail.subject, toIso(mail)])).toEqual([
      ["early", "2026-03-02T12:00:00.000Z"],
      ["late", "2026-03-04T07:00:00.000Z"],
    ]);
  });

  it.each(everyAdapter)("works the same with $name", async ({ open }) => {
    const test = await openTest({ storage: await open() });
    const cafe = await test.organization("cafe");
    const hook = await cafe.webhook({ types: ["user.created"], answers: [500, 200] });
    await cafe.customer({ tags: ["VIP", "New"] });
    await cafe.customer({ tags: ["VIP"], language: "de" });
    await test.advance("1d");
    expect(hook.deliveries.map(({ status }) => status)).toEqual([500, 200, 200]);
    expect(await cafe.organization.tags.list()).toHaveLength(2);
  });
});

it("a test clock serves the queues of every kind of job", () => {
  const readSource = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const storage = readdirSync(new URL("../../src/storage", import.meta.url)).map((file) =>
    readSource(`src/storage/${file}`),
  );
  const kinds = storage.flatMap((text) =>
    [...text.matchAll(/const (\w+) = jobKind\(/g)].map(([, kind]) => kind),
  );
  expect(kinds.length).toBeGreaterThan(3);
  const workNames = readSource("adapters/testing/test-clock/test-loyalty.ts")
    .match(/createJobsDueWork\(storage, \[[^\]]+/g)
    ?.join();
  for (const kind of kinds) expect(workNames).toContain(kind);
});

describe("the time of a test clock", () => {
  it("passes by calendar days, in its zone", async () => {
    const test = await openTest({ at: "2026-03-28T09:00" });
    await test.advance("1d");
    expect(test.now.toISOString()).toBe("2026-03-29T07:00:00.000Z");
    await test.advance("24h");
    await test.advance("90m");
    await test.advance("0d");
    expect(test.now.toISOString()).toBe("2026-03-30T08:30:00.000Z");
    await test.advanceTo("2026-10-25T12:00+01:00");
    await test.advance("2w");
    expect(test.now.toISOString()).toBe("2026-11-08T11:00:00.000Z");
  });

  it.each(["30", "30 d", "-1d", "1.5h", "1mo", "P1D", "", "1D"])(
    "refuses %j as a duration",
    async (input) => {
      const test = await openTest();
      await expect(test.advance(untyped(input))).rejects.toThrow(
        `"${input}" is not a duration: use a whole number and a unit, such as 45s, 90m, 12h, 30d or 2w`,
      );
    },
  );

  it.each([
    "tomorrow",
    "2026-02-30",
    "2026-13-01",
    "2026-03-01 09:00",
    "2026-03-01T25:00",
    new Date(Number.NaN),
  ])("refuses %j as an instant", async (at) => {
    await expect(openTest({ at })).rejects.toThrow("is not an instant: use a Date or a string such as");
  });

  it("moves at most ten years in one step, and never back", async () => {
    const test = await openTest();
    await expect(test.advance("3661d")).rejects.toThrow("a test clock moves at most ten years");
    await expect(test.advanceTo("2026-02-28")).rejects.toThrow("can't move backward");
    await expect(openTest({ timeZone: "Vienna" })).rejects.toThrow('"Vienna" is not a time zone');
    await test.advance("3660d");
    expect(test.now.getUTCFullYear()).toBe(2036);
  });

  it("can't be moved while it is moving", async () => {
    const test = await openTest();
    const moving = test.advance("10d");
    await expect(test.advance("1d")).rejects.toThrow("the test clock is already moving");
    await moving;
  });

  it("reports failures of background tasks", async () => {
    const test = await openTest();
    test.loyalty.on("user.created", () => {
      throw new Error("no listener of mine");
    });
    const cafe = await test.organization();
    await cafe.customer();
    await expect(test.runDue()).rejects.toThrow("a background task failed: Error: no listener of mine");
  });

  it("names what a builder needs", async () => {
    const test = await openTest({ service: { outbox: false } });
    const cafe = await test.organization();
    const anna = await cafe.customer({ email: "anna@example.com" });
    expect(() => anna.card).toThrow("anna@example.com has no card");
    const card = await anna.newCard((await cafe.template()).id);
    await expect(card.addTo("apple")).rejects.toThrow("wallets: true");
    await expect(cafe.webhook()).rejects.toThrow("outbox");
    await test.advance("1d");
  });
});
