import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { LoyaltyService, type MessageDelivery } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { createFakeMail } from "loyalty-kit/testing";
import { findBrokenSums } from "../../messages/sending/broken-sums.js";
import { end, idOf, loseAnswers, startTwoSenders, until } from "../mail/senders.js";
import { openedPlace } from "../wallets/place.js";
import { byDelivery, checkEnd, checkEvents, isEnded } from "./checks.js";
import { MessageShop } from "./shop.js";

const CUSTOMERS = 200;

/** So many messages are sent at once. */
const AT_ONCE = 2;

/** One message in so many is canceled. */
const CANCELED_OF = 2;

/** Longer than a claim holds, and than the first waits after lost answers. The clocks of each two processes are ahead by that. */
const LATER_MS = 6 * 60_000;
/** Longer than what has failed twice waits. */
const MUCH_LATER_MS = 60 * 60_000;

/** When no mail has come for so long, none will. */
const QUIET_MS = 1_500;

export interface MailedMessages {
  readonly messages: number;
  readonly canceled: number;
  readonly mails: number;
  readonly doubles: number;
  readonly lost: number;
  /** Attempts that were under way in a process when it was killed. */
  readonly underWay: number;
}

/**
 * Has two processes send messages from one database, and kills first the one and then the other, again and again, at any moment,
 * while messages are sent and canceled, customers unsubscribe and are erased, and the server loses some of its answers.
 * @throws when a recipient gets no mail, one comes that nobody wants, sums are wrong at a read, a message ends too early or is told
 *   of twice, or there are more doubles than answers that were lost and attempts under way at kills.
 */
export async function killMessages(place: string, kills: number): Promise<MailedMessages> {
  const fake = await createFakeMail();
  const storage = await openedPlace(place);
  const loyalty = new LoyaltyService({ storage });
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "cards@shop.example", smtp: fake.url, deliver: false },
  });
  const shop = new MessageShop(loyalty, storage, fake, CUSTOMERS);
  await shop.open();
  const { acme } = shop;
  const lostAnswers = loseAnswers(fake);

  const open = new Set<string>();
  /** The number of mails of each message when it was first seen to be sent. */
  const atEnd = new Map<string, number>();
  const mailsOf = (name: string) => fake.mails.filter(({ subject }) => subject === name).length;
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      for (const id of open) {
        const message = await acme.messages.get(id);
        if (!isEnded(message)) continue;
        if (message.status === "SENT") atEnd.set(message.name, mailsOf(message.name));
        open.delete(id);
      }
      assert.deepEqual(await findBrokenSums(storage, "acme", true), []);
      await pause(20);
    }
  })();
  let isMaking = true;
  const making = (async () => {
    for (let sent = 1; isMaking; sent += 1) {
      const id = await shop.send();
      open.add(id);
      const before = fake.mails.length;
      const moment = Math.random() * CUSTOMERS;
      while (isMaking && (open.size >= AT_ONCE || (sent % CANCELED_OF === 0 && open.has(id)))) {
        await pause(20);
        if (sent % CANCELED_OF === 0 && fake.mails.length - before > moment) break;
      }
      if (sent % CANCELED_OF === 0) await shop.cancel(id);
    }
  })();
  const leaving = (async () => {
    for (let left = 0; isMaking; await pause(20)) {
      if (fake.mails.length < left * 10) continue;
      await shop.leave();
      left += 1;
    }
  })();
  // What fails is told once the rounds are over; none of them waits for it.
  const working = Promise.all([making, leaving]);
  for (const work of [watching, working]) work.catch(() => {});

  /** The attempts that were under way at a kill: each claim has its time. */
  const cutOff = new Set<string>();
  const look = async () => {
    for (const id of shop.messages.values())
      for (const delivery of await shop.beingSent(id)) cutOff.add(`${delivery.id} ${delivery.updatedAt}`);
  };
  for (let round = 1; round <= kills; round += 1) {
    const senders = await startTwoSenders(place, { smtp: fake.url, aheadMs: round * LATER_MS });
    shop.begins();
    const before = fake.mails.length;
    if (round % 2 > 0) await until(() => fake.mails.length > before, "no mail went out");
    for (const sender of senders) {
      await pause(Math.random() * 500);
      await end(sender);
    }
    await look();
  }
  isMaking = false;
  await working;
  // All is well from now on.
  fake.onMail = () => {};
  for (let round = 1; open.size > 0; round += 1) {
    assert(round < 20, "a message does not end");
    const aheadMs = kills * LATER_MS + round * MUCH_LATER_MS;
    const senders = await startTwoSenders(place, { smtp: fake.url, aheadMs });
    shop.begins();
    for (let come = -1; open.size > 0 && come < fake.mails.length; await pause(QUIET_MS))
      come = fake.mails.length;
    for (const sender of senders) await end(sender);
    await look();
  }
  isRunning = false;
  await watching;

  const mails = byDelivery(fake.mails);
  const known = new Set<string>();
  let canceled = 0;
  const messages = await Promise.all([...shop.messages.values()].map((id) => acme.messages.get(id)));
  for (const message of messages) {
    const deliveries: MessageDelivery[] = [];
    for (let page = 0, isMore = true; isMore; page += 1) {
      const { content } = await acme.messages.deliveries(message.id, { page, size: 200 });
      deliveries.push(...content);
      isMore = content.length > 0;
    }
    checkEnd(message, deliveries, mails, shop.erased.size);
    for (const { id } of deliveries) known.add(id);
    if (message.status === "CANCELED") canceled += 1;
    const first = atEnd.get(message.name);
    if (message.status === "SENT") assert.equal(mailsOf(message.name), first, `${message.id} was sent early`);
  }
  await checkEvents(acme, messages);
  assert.deepEqual(shop.unwanted(), []);
  for (const each of fake.mails)
    assert(known.has(idOf(each)) || shop.erased.has(each.envelope.to), `${idOf(each)} is nobody's`);
  const doubles = fake.doubles().length;
  const [lost, underWay] = [lostAnswers(), cutOff.size];
  assert(doubles <= lost + underWay, `${doubles} doubles, ${lost} lost, ${underWay} under way`);
  await mail.close();
  await loyalty.close();
  await fake.close();
  return { messages: messages.length, canceled, mails: mails.size, doubles, lost, underWay };
}
