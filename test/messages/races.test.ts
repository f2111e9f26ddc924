import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import type { MailJob } from "../../src/messages/mail-claim.js";
import type { MailResult } from "../../src/messages/mail-outcome.js";
import { someEmail } from "../kit/acme.js";
import { ManualClock } from "../kit/manual-clock.js";
import { getErrorDetail } from "../kit/refusal.js";
import { sharedDatabases } from "../kit/shared-databases.js";
import { accepted, getToken, MINUTE, noSuchAddress } from "./mailing.js";

const words = "Yes, send me news.";
const ROUNDS = 8;

/** Opens two processes, as the storage sees it, of one organization with a card. */
async function openTwo(open: () => Promise<StorageAdapter>) {
  const clock = new ManualClock();
  const process = async () => {
    const storage = await open();
    const loyalty = new LoyaltyService({ storage, clock: clock.read });
    onTestFinished(() => loyalty.close());
    const mail = serviceInternals(loyalty).backends.mail;
    mail.attachSender({ host: "mail.example" });
    return { acme: loyalty.organization("acme"), mail };
  };
  const [here, there] = [await process(), await process()];
  const template = await here.acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
  const createPass = async (email = someEmail()) => {
    const user = await here.acme.users.create({ email });
    return { user, pass: await here.acme.passes.create(template.id, { userId: user.id }) };
  };
  const claim = async (): Promise<MailJob> => {
    const [job] = await here.mail.claim("acme", "pass", 1);
    if (job === undefined) throw new Error("nothing was claimed");
    return job;
  };
  const recordResult = ({ lease, delivery, to }: MailJob, result: MailResult, at = clock.now) =>
    there.mail.recordResults("acme", "pass", lease, [
      { deliveryId: delivery.id, to, result, at, durationMs: 1 },
    ]);
  return { clock, here, there, template, withPass: createPass, claim, settle: recordResult };
}

describe.each(Object.entries(sharedDatabases))("two processes on %s", (_, database) => {
  it("mail a pass once a minute and unsubscribe once, whichever of them handles the call", async () => {
    const { here, there, withPass, claim, clock } = await openTwo(await database());
    for (let round = 0; round < ROUNDS; round += 1) {
      const { user, pass } = await withPass();
      const notified = await Promise.allSettled(
        [here, there, here, there].map(({ acme }) => acme.passes.notify(pass.id)),
      );
      expect(notified.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const token = getToken(await claim());
      await here.acme.subscriptions.put(user.id, { email: { status: "SUBSCRIBED", text: words } });
      clock.move(1);
      const outcomes = await Promise.all([
        here.mail.suppressAddress(token),
        there.acme.subscriptions
          .put(user.id, { email: { status: "SUBSCRIBED", text: `${words} ${round}` } })
          .then(
            () => true,
            (error: unknown) => Reflect.get(Object(error), "code") === "customer_unsubscribed",
          ),
        there.mail.suppressAddress(token),
      ]);
      expect(outcomes).toEqual([true, true, true]);
      expect(await here.acme.subscriptions.get(user.id)).toMatchObject({
        email: { status: "UNSUBSCRIBED", source: "link" },
        suppressed: { reason: "complained" },
      });
      const { content } = await here.acme.events.list({ userId: user.id, limit: 1_000 });
      const ends = content.filter(
        ({ type, data }) =>
          type === "subscription.changed" && Reflect.get(Object(data), "status") === "UNSUBSCRIBED",
      );
      expect(ends).toHaveLength(1);
      expect(await getErrorDetail(there.acme.passes.notify(pass.id))).toMatchObject({
        code: "address_suppressed",
      });
    }
  });

  it("record a bounce that arrives together with the reply, whichever is first", async () => {
    const { here, there, withPass, claim, settle } = await openTwo(await database());
    for (let round = 0; round < ROUNDS; round += 1) {
      const { user, pass } = await withPass();
      const { id } = await here.acme.passes.notify(pass.id);
      const job = await claim();
      await Promise.all([settle(job, accepted), there.acme.messageDeliveries.bounce(id, { kind: "hard" })]);
      expect(await here.acme.messageDeliveries.get(id)).toMatchObject({
        status: "FAILED",
        reason: "bounced",
      });
      expect(await here.acme.subscriptions.get(user.id)).toMatchObject({ suppressed: { reason: "bounced" } });
    }
  });

  it("don't suppress the new address for a bounce or complaint from the previous one", async () => {
    const { here, there, withPass, claim, settle, clock } = await openTwo(await database());
    for (let round = 0; round < ROUNDS; round += 1) {
      const { user, pass } = await withPass();
      const { id } = await here.acme.passes.notify(pass.id);
      const job = await claim();
      clock.move(5);
      const startedAt = clock.now - 5;
      await Promise.all([
        settle(job, round % 2 === 0 ? accepted : noSuchAddress, startedAt),
        here.acme.users.update(user.id, { email: someEmail() }),
      ]);
      clock.move(5);
      await there.acme.messageDeliveries.bounce(id, { kind: "soft" });
      await here.acme.messageDeliveries.bounce(id, { kind: "hard" });
      expect((await here.acme.subscriptions.get(user.id)).suppressed).toBeNull();
      await there.acme.messageDeliveries.bounce(id, { kind: "complaint" });
      expect((await here.acme.subscriptions.get(user.id)).email.status).toBe("NONE");
    }
  });

  it("carry nothing over from a deleted customer to a new one with the same email", async () => {
    const { here, there, withPass, claim, settle, clock } = await openTwo(await database());
    const email = someEmail();
    const { user, pass } = await withPass(email);
    const { id } = await here.acme.passes.notify(pass.id);
    const job = await claim();
    await there.acme.users.delete(user.id);
    const { user: next, pass: nextPass } = await withPass(email);
    await settle(job, noSuchAddress);
    await there.acme.messageDeliveries.bounce(id, { kind: "complaint" });
    const token = getToken(job);
    expect([await here.mail.confirm(token), await there.mail.suppressAddress(token)]).toEqual([false, false]);
    expect(await there.mail.verifyLink(token)).toBeNull();
    expect(await here.acme.subscriptions.get(next.id)).toMatchObject({
      email: { status: "NONE" },
      suppressed: null,
      emailConfirmedAt: null,
    });
    const { id: mailed } = await there.acme.passes.notify(nextPass.id);
    clock.move(MINUTE);
    expect(await here.mail.claim("acme", "pass", 10)).toMatchObject([
      { delivery: { id: mailed }, to: email },
    ]);
  });
});
