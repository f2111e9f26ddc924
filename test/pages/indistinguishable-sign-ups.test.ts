import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages, type ExistingCustomer, type PagesOptions } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { openShop } from "./shop.js";

const base = "https://shop.example";

/** Opens a sign-up page on a storage, and records the storage calls that its requests make until the response. */
async function openOn(storage: StorageAdapter, options: PagesOptions = {}, sendsMail = false) {
  const steps: string[] = [];
  const recordSteps = (target: StorageAdapter) =>
    replaceTransactions(
      interceptCalls(target, (method, proceed) => {
        if (method !== "transaction") steps.push(method);
        return proceed();
      }),
      (organizationId, work, rest) => {
        steps.push("transaction");
        return target.transaction(
          organizationId,
          (tx) =>
            work(
              interceptCalls(tx, (method, proceed) => {
                steps.push(`in a transaction: ${method}`);
                return proceed();
              }),
            ),
          rest,
        );
      },
    );
  // Pending mails are counted once a second, regardless of who signs up.
  const loyalty = new LoyaltyService({ storage: recordSteps(storage), clock: new ManualClock().read });
  onTestFinished(() => loyalty.close());
  if (sendsMail) serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  const joinLimit = { requests: 10_000, seconds: 60 };
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty, { joinLimit, ...options })],
  });
  const acme = loyalty.organization("acme");
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const postJoin = ({ email = "", ...fields }: Readonly<Record<string, string>>) =>
    api.fetch(
      new Request(`${base}/join/${id}`, {
        method: "POST",
        body: new URLSearchParams({ name: "Ada", contact: email, ...fields }),
      }),
    );
  return { acme, join: postJoin, steps, templateId: id };
}

const describeResponse = (answer: Response) => [
  answer.status,
  answer.headers.get("location")?.replace(/\w{12}(?=\?|$)/, "") ?? null,
  [...answer.headers.keys()],
];

describe.each(everyAdapter)("signing up on $name", ({ open }) => {
  it("makes the same storage calls until the response, whether or not the email is known", async () => {
    const { acme, join, steps } = await openOn(await open());
    await acme.users.create({ email: "ada@example.com" });
    // A process reads some data only once.
    await join({ email: "first@example.com" });
    const joinAndRecord = async (fields: Readonly<Record<string, string>>) => {
      steps.length = 0;
      const answer = describeResponse(await join(fields));
      return { answer, steps: [...steps] };
    };
    const unknown = await joinAndRecord({ email: "new@example.com" });
    expect(unknown.steps).toContain("in a transaction: insertUser");
    for (const email of ["ada@example.com", "ADA@Example.com", "first@example.com"]) {
      expect(await joinAndRecord({ email })).toEqual(unknown);
    }
  });

  it("makes the same storage calls if mail is set up, whether or not there is a card to mail, whoever typed the email", async () => {
    const { acme, join, steps, templateId } = await openOn(await open(), {}, true);
    await acme.users.create({ email: "cardless@example.com" });
    await acme.passes.create(templateId, { user: { email: "ada@example.com" } });
    await join({ email: "first@example.com" });
    for (const news of ["", "on"]) {
      const joinAndRecord = async (email: string) => {
        steps.length = 0;
        const answer = describeResponse(await join({ email, news }));
        return { answer, steps: [...steps] };
      };
      const unknown = await joinAndRecord(`new${news}@example.com`);
      expect(unknown.steps).toContain("in a transaction: insertMessageDeliveries");
      for (const email of [
        "ada@example.com",
        "ADA@Example.com",
        "cardless@example.com",
        "first@example.com",
      ]) {
        expect([email, await joinAndRecord(email)]).toEqual([email, unknown]);
      }
    }
  });

  it("creates one card for a form that is sent many times at the same time, for a known email too", async () => {
    const { acme, join } = await openOn(await open());
    await acme.users.create({ email: "ada@example.com" });
    for (const email of ["ada@example.com", "bob@example.com"]) {
      const { totalElements } = await acme.contacts.list();
      const key = `${email.slice(0, 3)}${"k".repeat(21)}`;
      const answers = await Promise.all(Array.from({ length: 30 }, () => join({ email, key })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
      expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(1);
      expect((await acme.contacts.list()).totalElements).toBe(totalElements + 1);
    }
  });

  it("gives each of several people who type the same new email at the same time their own card", async () => {
    const { acme, join } = await openOn(await open());
    const answers = await Promise.all(Array.from({ length: 10 }, () => join({ email: "eve@example.com" })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(10);
    const { content } = await acme.contacts.list();
    expect(content.filter(({ email }) => email === "eve@example.com")).toHaveLength(1);
  });
});

describe("signing up", () => {
  it("looks up whom to send links after the response, whether or not there is anyone", async () => {
    const notifiedCustomers: ExistingCustomer[] = [];
    const sendLink = (customer: ExistingCustomer) => void notifiedCustomers.push(customer);
    const { acme, join, steps } = await openOn(memoryStorage(), { sendLink });
    await acme.users.create({ email: "ada@example.com" });
    for (const email of ["ada@example.com", "new@example.com"]) {
      steps.length = 0;
      await join({ email });
      const answerCount = steps.length;
      expect(steps).not.toContain("findUserByEmail");
      await expect.poll(() => steps.slice(answerCount)).toContain("findUserByEmail");
    }
    await expect.poll(() => notifiedCustomers).toMatchObject([{ user: { email: "ada@example.com" } }]);
  });

  it("answers simultaneous forms with one key and different contents as it answers repeated forms", async () => {
    const { acme, join } = await openShop();
    const key = "k".repeat(24);
    const responses = ["a", "b", "c"].map((name) => join({ name, email: `${name}@example.com`, key }));
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([303, 409, 409]);
    expect((await acme.contacts.list()).totalElements).toBe(1);
  });

  it("stores only the existing user's ID for a known email, not the email", async () => {
    const { acme, join, getCode } = await openShop();
    const existingUser = await acme.users.create({ email: "ada@example.com" });
    const { userId } = await acme.passes.lookup(
      getCode(await join({ name: "Eve", email: "ADA@example.com" })),
    );
    const user = await acme.users.get(userId);
    expect(user.metadata.join).toMatchObject({ typedEmailOf: existingUser.id });
    expect(JSON.stringify(user).toLowerCase()).not.toContain("ada@example.com");
  });
});
