import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { LoyaltyService, type MessageDelivery } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { createFakeMail } from "loyalty-kit/testing";
import { findBrokenSums } from "../../messages/sending/broken-sums.js";
import { deliveryIdOf, killSender, loseAnswers, startTwoSenders, waitUntil } from "../mail/senders.js";
import { openStorage } from "../wallets/place.js";
import { checkEnd, checkEvents, groupByDelivery, isEnded } from "./checks.js";
import { MessageShop } from "./shop.js";

const CUSTOMERS = 200;

/** How many messages are sent at the same time. */
const AT_ONCE = 2;

/** One in this many messages is canceled. */
const CANCELED_OF = 2;

/**
 * Longer than the lease of a claim and the first waits after lost replies. The clocks of each pair of processes are ahead by
 * that.
 */
const LATER_MS = 6 * 60_000;
/** Longer than the wait after two failures. */
const MUCH_LATER_MS = 60 * 60_000;

/** If no mail arrives for this many milliseconds, none will. */
const QUIET_MS = 1_500;

export interface MailedMessages {
  readonly messages: number;
  readonly canceledCount: number;
  readonly mails: number;
  readonly doubles: number;
  readonly lostCount: number;
  /** Attempts that were running in a process when it was killed. */
  readonly underWay: number;
}

/**
 * Starts two processes that send messages from one database, and kills both in turn, repeatedly, at any moment, while messages
 * are sent and canceled, customers unsubscribe and are erased, and the server loses some replies.
 * @throws if a recipient gets no mail, an unwanted mail is sent, sums are wrong at a read, a message ends too early or is
 * reported twice, or there are more duplicates than lost replies and attempts running at kills.
 */
export async function killMessages(database: string, kills: number): Promise<MailedMessages> {
  const fake = await createFakeMail();
  const storage = await openStorage(database);
  const loyalty = new LoyaltyService({ storage });
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "cards@shop.example", smtp: fake.url, deliver: false },
  });
  const shop = new MessageShop(loyalty, storage, fake, CUSTOMERS);
  await shop.open();
  const { acme } = shop;
  const countLostAnswers = loseAnswers(fake);

  const open = new Set<string>();
  /** The number of mails of each message when it was first seen as sent. */
  const endCounts = new Map<string, number>();
  const countMails = (name: string) => fake.mails.filter(({ subject }) => subject === name).length;
  let isRunning = true;
  const watcher = (async () => {
    while (isRunning) {
      for (const id of open) {
        const message = await acme.messages.get(id);
        if (!isEnded(message)) continue;
        if (message.status === "SENT") endCounts.set(message.name, countMails(message.name));
        open.delete(id);
      }
      assert.deepEqual(await findBrokenSums(storage, "acme", true), []);
      await pause(20);
    }
  })();
  let isMaking = true;
  const producer = (async () => {
    for (let sentCount = 1; isMaking; sentCount += 1) {
      const id = await shop.send();
      open.add(id);
      const before = fake.mails.length;
      const delayMs = Math.random() * CUSTOMERS;
      while (isMaking && (open.size >= AT_ONCE || (sentCount % CANCELED_OF === 0 && open.has(id)))) {
        await pause(20);
        if (sentCount % CANCELED_OF === 0 && fake.mails.length - before > delayMs) break;
      }
      if (sentCount % CANCELED_OF === 0) await shop.cancel(id);
    }
  })();
  const stopper = (async () => {
    for (let stoppedCount = 0; isMaking; await pause(20)) {
      if (fake.mails.length < stoppedCount * 10) continue;
      await shop.stopCustomer();
      stoppedCount += 1;
    }
  })();
  // Failures are thrown after the rounds; no round waits for them.
  const producers = Promise.all([producer, stopper]);
  for (const task of [watcher, producers]) task.catch(() => {});

  /** Attempts that were running at a kill, identified by delivery and time of the claim. */
  const cutOff = new Set<string>();
  const recordCutOff = async () => {
    for (const id of shop.messages.values())
      for (const delivery of await shop.listBeingSent(id)) cutOff.add(`${delivery.id} ${delivery.updatedAt}`);
  };
  for (let round = 1; round <= kills; round += 1) {
    const senders = await startTwoSenders(database, { smtp: fake.url, aheadMs: round * LATER_MS });
    shop.recordBeginning();
    const before = fake.mails.length;
    if (round % 2 > 0) await waitUntil(() => fake.mails.length > before, "no mail went out");
    for (const sender of senders) {
      await pause(Math.random() * 500);
      await killSender(sender);
    }
    await recordCutOff();
  }
  isMaking = false;
  await producers;
  // The mail server loses no replies from now on.
  fake.onMail = () => {};
  for (let round = 1; open.size > 0; round += 1) {
    assert(round < 20, "a message never ended");
    const aheadMs = kills * LATER_MS + round * MUCH_LATER_MS;
    const senders = await startTwoSenders(database, { smtp: fake.url, aheadMs });
    shop.recordBeginning();
    for (let come = -1; open.size > 0 && come < fake.mails.length; await pause(QUIET_MS))
      come = fake.mails.length;
    for (const sender of senders) await killSender(sender);
    await recordCutOff();
  }
  isRunning = false;
  await watcher;

  const mails = groupByDelivery(fake.mails);
  const knownIds = new Set<string>();
  let canceledCount = 0;
  const messages = await Promise.all([...shop.messages.values()].map((id) => acme.messages.get(id)));
  for (const message of messages) {
    const deliveries: MessageDelivery[] = [];
    for (let page = 0, isMore = true; isMore; page += 1) {
      const { content } = await acme.messages.deliveries(message.id, { page, size: 200 });
      deliveries.push(...content);
      isMore = content.length > 0;
    }
    checkEnd(message, deliveries, mails, shop.erasedIds.size);
    for (const { id } of deliveries) knownIds.add(id);
    if (message.status === "CANCELED") canceledCount += 1;
    const first = endCounts.get(message.name);
    if (message.status === "SENT")
      assert.equal(countMails(message.name), first, `${message.id} was sent early`);
  }
  await checkEvents(acme, messages);
  assert.deepEqual(shop.listUnwanted(), []);
  for (const each of fake.mails)
    assert(
      knownIds.has(deliveryIdOf(each)) || shop.erasedIds.has(each.envelope.to),
      `${deliveryIdOf(each)} is nobody's`,
    );
  const doubles = fake.doubles().length;
  const [lostCount, underWay] = [countLostAnswers(), cutOff.size];
  assert(doubles <= lostCount + underWay, `${doubles} doubles, ${lostCount} lost, ${underWay} under way`);
  await mail.close();
  await loyalty.close();
  await fake.close();
  return { messages: messages.length, canceledCount, mails: mails.size, doubles, lostCount, underWay };
}
