import { createMail, type OutgoingMail } from "loyalty-kit/mail";
import { expect, it, onTestFinished } from "vitest";
import { createStepRunner, type OrganizationWork } from "../../../adapters/delivery/jobs/job-runner.js";
import { waitForLoopIteration } from "../../../src/base/concurrency/event-loop.js";
import { openAcme } from "../../kit/acme.js";
import { openSending, words } from "./sending-scene.js";

it("messages of many organizations advance in turn", async () => {
  const organizations = Array.from({ length: 9 }, (_, at) => `shop-${at}`);
  const remaining = new Map(organizations.map((id) => [id, 5]));
  let furthest = 0;
  const messages: OrganizationWork = {
    queuesWithDueJobs: async () => organizations.filter((id) => remaining.get(id) !== 0),
    async advance(id) {
      await waitForLoopIteration();
      const steps = remaining.get(id) ?? 0;
      remaining.set(id, Math.max(0, steps - 1));
      const open = [...remaining.values()];
      furthest = Math.max(furthest, Math.max(...open) - Math.min(...open));
      return steps > 0;
    },
    onWork: () => () => {},
    onError: (error) => {
      throw error;
    },
  };
  const worker = createStepRunner(messages, { pollMs: 1_000 });
  expect(await worker.runOnce()).toBe(true);
  expect([...remaining.values()].every((steps) => steps === 0)).toBe(true);
  expect(furthest).toBe(1);
  await worker.close();
});

it("a message starts as soon as it is sent, without waiting for the next poll", async () => {
  const { loyalty, acme } = openAcme();
  const sentMails: OutgoingMail[] = [];
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "cards@shop.example", pollMs: 600_000 },
    smtp: {
      async send(each) {
        sentMails.push(each);
      },
    },
  });
  onTestFinished(() => mail.close());
  const user = await acme.users.create({ email: "ada@example.com" });
  await acme.subscriptions.put(user.id, { email: { status: "SUBSCRIBED", text: words } });
  const { id } = await acme.messages.create({
    ...{ name: "News", audience: { all: true }, channels: ["email"] },
    texts: [{ language: "en", subject: "News", text: "Hello" }],
  });
  await acme.messages.send(id);
  await expect.poll(() => sentMails).toHaveLength(1);
  await expect.poll(() => acme.messages.get(id)).toMatchObject({ status: "SENT" });
});

it("a message that fails waits a minute, while others continue", async () => {
  const errors: unknown[] = [];
  const shop = await openSending({ onError: (error) => errors.push(error) });
  const { storage, acme, subscriber, send, mail, get, clock, sent } = shop;
  const ada = await subscriber("ada");
  const brokenMessage = await send({ audience: { userIds: [ada.id] } });
  clock.move(1);
  const other = await send();
  const { transaction } = storage;
  storage.transaction = (organizationId, work, options) =>
    transaction(
      organizationId,
      function* (tx) {
        const { usersById } = tx;
        tx.usersById = (...args) => {
          throw new Error(`no ${String(args[0])}`);
        };
        try {
          return yield* work(tx);
        } finally {
          tx.usersById = usersById;
        }
      },
      options,
    );
  await shop.advance().catch((error: unknown) => errors.push(error));
  await shop.advance();
  storage.transaction = transaction;
  expect(errors).toHaveLength(1);
  await mail.runOnce();
  expect(await get(brokenMessage.id)).toMatchObject({ status: "SCHEDULED" });
  expect(await get(other.id)).toMatchObject({ status: "SENT" });
  expect(sent).toHaveLength(1);
  await acme.messageSettings.update({ cap: null });
  clock.move(60_000);
  await mail.runOnce();
  expect(await get(brokenMessage.id)).toMatchObject({ status: "SENT" });
  expect(sent).toHaveLength(2);
});

it("messages leave capacity among pending mails for pass mails", async () => {
  const shop = await openSending({ limits: { pendingMessageDeliveries: 8 } });
  const { acme, template, subscriber, send, advance, clock, deliveries } = shop;
  for (let at = 0; at < 12; at += 1) await subscriber(`customer-${at}`);
  const { id } = await send();
  for (let second = 0; second < 4; second += 1) {
    await advance();
    clock.move(1_000);
  }
  expect(await deliveries(id)).toHaveLength(4);
  const pass = await acme.passes.create(template.id, { user: { email: "new@example.com" } });
  expect(await acme.passes.notify(pass.id)).toMatchObject({ status: "PENDING" });
});
