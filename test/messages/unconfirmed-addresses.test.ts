import type { Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { accepted, getToken, HOUR, openMailing } from "./mailing.js";

const victim = "stranger@example.com";
const DAY = 24 * HOUR;

/** Creates a template and a card of it for the customer with this email, who is created if there is none. */
async function createCard({ templates, passes }: Organization, name: string, email = victim) {
  const { id } = await templates.create({ name, type: "STAMP_CARD", maxStamps: 5 });
  return passes.ensure(id, { user: { email }, notify: true });
}

describe.each(everyAdapter)("mails to an unconfirmed address, on $name", ({ open }) => {
  const openShop = async () => {
    const shop = await openMailing({ storage: await open() });
    /** Sends all due mails of an organization. @returns the sent jobs. */
    const send = async (organizationId = "acme") => {
      const jobs = await shop.mail.claim(organizationId, "pass", 1_000);
      for (const { lease, delivery, to } of jobs)
        await shop.mail.recordResults(organizationId, "pass", lease, [
          { deliveryId: delivery.id, to, result: accepted, at: shop.clock.now, durationMs: 5 },
        ]);
      return jobs;
    };
    return { ...shop, send };
  };

  it("are queued at most ten times in 24 hours for one customer, across all cards", async () => {
    const { acme, clock } = await openShop();
    const passes = [];
    for (let at = 0; at < 50; at += 1) passes.push(await createCard(acme, `Card ${at}`));
    const fields = passes.flatMap(({ notification }) =>
      notification && "refused" in notification ? [notification.refused] : [],
    );
    expect(fields).toEqual(Array.from({ length: 40 }, () => "pass_notified_recently"));
    const last = passes.at(-1)?.id ?? "";
    expect(await getErrorDetail(acme.passes.notify(last))).toMatchObject({
      code: "pass_notified_recently",
      params: [new Date(clock.now + DAY).toISOString()],
    });
    clock.move(DAY);
    await acme.passes.notify(last);
  });

  it("are limited to ten in 24 hours per organization, even if it recreates the customer or imports cards", async () => {
    const { acme, clock, send } = await openShop();
    let sentCount = 0;
    for (let at = 0; at < 15; at += 1) {
      const { userId } = await createCard(acme, `Card ${at}`);
      sentCount += (await send()).length;
      await acme.users.delete(userId);
      clock.move(HOUR / 2);
    }
    expect(sentCount).toBe(10);
    const passes = (await acme.templates.list()).map(({ id: templateId }) => ({ templateId }));
    await acme.passes.import([{ email: victim, passes }], { notify: true });
    expect(await send()).toEqual([]);
    const other = await createCard(acme, "Other", someEmail());
    expect(await send()).toHaveLength(1);
    expect(other.notification).toMatchObject({ delivery: { status: "PENDING" } });
    clock.move(DAY);
    expect((await send()).length).toBe(10);
  });

  it("are limited to thirty an hour for all organizations together, until the address is confirmed", async () => {
    const { acme, loyalty, clock, mail, send } = await openShop();
    const ada = await createCard(acme, "Own");
    const [job] = await send();
    expect(job && (await mail.confirm(getToken(job)))).toBe(true);
    let sentCount = 0;
    for (let at = 0; at < 40; at += 1) {
      await createCard(loyalty.organization(`shop-${at}`), "Coffee");
      sentCount += (await send(`shop-${at}`)).length;
    }
    // The first mail was sent before the address was confirmed.
    expect(sentCount).toBe(29);
    clock.move(HOUR / 2);
    await acme.passes.notify(ada.id);
    expect(await send()).toHaveLength(1);
    expect(await send("shop-39")).toEqual([]);
    clock.move(HOUR / 2);
    expect(await send("shop-39")).toHaveLength(1);
  });

  it("that fail are retried without being counted twice", async () => {
    const { acme, clock, mail, send } = await openShop();
    const result = { kind: "transport", code: null, answer: null } as const;
    await createCard(acme, "Own");
    for (let at = 0; at < 12; at += 1) {
      const [job] = await mail.claim("acme", "pass", 1);
      if (job === undefined) throw new Error("no mail is due");
      const { lease, delivery, to } = job;
      const outcome = { deliveryId: delivery.id, to, result, at: clock.now, durationMs: 5 };
      await mail.recordResults("acme", "pass", lease, [outcome]);
      clock.move(HOUR);
    }
    expect(await send()).toHaveLength(1);
  });
});
