import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { LoyaltyService } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { createFakeMail } from "loyalty-kit/testing";
import { openStorage } from "../wallets/place.js";
import { deliveryIdOf, killSender, loseAnswers, startTwoSenders, waitUntil } from "./senders.js";

/**
 * Longer than the lease of a claim and the first waits after lost replies. The clocks of each pair of processes are ahead by
 * that.
 */
const LATER_MS = 6 * 60_000;

/** Maximum number of waiting mails, so that each round reaches the end of them. */
const MOST_WAITING = 50;

export interface MailedCards {
  readonly mails: number;
  readonly doubles: number;
  readonly lostCount: number;
  /** Attempts that were running in a process when it was killed. */
  readonly underWay: number;
}

/**
 * Starts two processes that send mails from one database, and kills both in turn, repeatedly, at any moment, while cards are
 * created and notified, and the server loses some replies.
 * @throws if a customer gets no mail, or there are more duplicates than lost replies and attempts running at kills.
 */
export async function killSenders(database: string, kills: number): Promise<MailedCards> {
  const fake = await createFakeMail();
  const loyalty = new LoyaltyService({ storage: await openStorage(database) });
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "cards@shop.example", smtp: fake.url, deliver: false },
  });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const deliveryIds: string[] = [];
  let isMaking = true;
  const producer = (async () => {
    while (isMaking) {
      const email = `c${deliveryIds.length}@example.com`;
      const { id } = await acme.passes.create(template.id, { user: { email } });
      deliveryIds.push((await acme.passes.notify(id)).id);
      do await pause(10);
      while (isMaking && deliveryIds.length > fake.mails.length + MOST_WAITING);
    }
  })();
  const countLostAnswers = loseAnswers(fake);

  /** Mails that aren't known to be accepted. */
  const remaining = new Set<string>();
  let lookedCount = 0;
  /** Attempts that were running at a kill, identified by delivery and time of the claim. */
  const cutOff = new Set<string>();
  /** Checks the remaining deliveries while no process sends. */
  const updateRemaining = async () => {
    for (; lookedCount < deliveryIds.length; lookedCount += 1) remaining.add(deliveryIds[lookedCount] ?? "");
    for (const id of remaining) {
      const { status, updatedAt } = await acme.messageDeliveries.get(id);
      if (status === "ACCEPTED") remaining.delete(id);
      else if (status === "SENDING") cutOff.add(`${id} ${updatedAt}`);
    }
  };

  for (let round = 1; round <= kills || remaining.size > 0; round += 1) {
    assert(round < kills + 50, "a mail was never accepted");
    const senders = await startTwoSenders(database, { smtp: fake.url, aheadMs: round * LATER_MS });
    const before = fake.mails.length;
    if (isMaking) await waitUntil(() => fake.mails.length > before, "no mail went out");
    for (const sender of senders) {
      await pause(isMaking ? Math.random() * 200 : 2_000);
      await killSender(sender);
    }
    if (round === kills) {
      isMaking = false;
      await producer;
    }
    await updateRemaining();
  }

  for (const id of deliveryIds) {
    assert(
      fake.mails.some((each) => deliveryIdOf(each) === id),
      `${id} has not come`,
    );
  }
  const doubles = fake.doubles();
  const [lostCount, underWay] = [countLostAnswers(), cutOff.size];
  assert(
    doubles.length <= lostCount + underWay,
    `${doubles.length} doubles, ${lostCount} lost, ${underWay} under way`,
  );
  for (const double of doubles) {
    assert(
      (await acme.messageDeliveries.get(deliveryIdOf(double))).isUncertain,
      "a duplicate mail isn't marked as uncertain",
    );
  }
  await mail.close();
  await loyalty.close();
  await fake.close();
  return { mails: deliveryIds.length, doubles: doubles.length, lostCount, underWay };
}
