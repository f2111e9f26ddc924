import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { accepted, HOUR, openMailing } from "./mailing.js";

const text = "Yes, send me news.";

describe.each(everyAdapter)("a customer who signs up on a page, on $name", ({ open }) => {
  async function openPage() {
    const shop = await openMailing({ storage: await open() });
    const { acme, template } = shop;
    const signUp = (email: string, consent: string | null = null, tellsKnown = true) =>
      acme.passes.create(
        template.id,
        { user: { email, name: "Eve" }, notify: true },
        {
          whenTaken: (typedEmailOf) => ({ metadata: { join: { typedEmailOf } } }),
          joining: { language: "de", consent, mailExistingCustomer: tellsKnown },
        },
      );
    return { ...shop, join: signUp };
  }

  it("gets the card by mail, and is subscribed once the address is confirmed", async () => {
    const { acme, join, claim, mail, clock } = await openPage();
    const pass = await join("ada@example.com", text);
    expect(pass).not.toHaveProperty("notification");
    const at = clock.timestamp;
    const pending = { status: "PENDING", at, source: "join", text };
    expect(await acme.subscriptions.get(pass.userId)).toMatchObject({
      email: pending,
      wallet: { ...pending, status: "SUBSCRIBED" },
      emailConfirmedAt: null,
      language: null,
    });
    const [job] = await claim();
    expect(job).toMatchObject({ delivery: { kind: "pass", passId: pass.id }, language: "de" });
    clock.move(1);
    const token = new URL(job?.link ?? "", "https://x.example").searchParams.get("m") ?? "";
    expect(await mail.confirm(token)).toBe(true);
    expect(await acme.subscriptions.get(pass.userId)).toMatchObject({
      email: { ...pending, status: "SUBSCRIBED" },
      emailConfirmedAt: clock.timestamp,
    });
    await acme.users.update(pass.userId, { email: "new@example.com" });
    expect(await acme.subscriptions.get(pass.userId)).toMatchObject({
      email: { status: "PENDING" },
      emailConfirmedAt: null,
    });
  });

  it("has the link mailed to the existing owner of the address, once an hour and three times in 24 hours", async () => {
    const { acme, template, join, attemptDelivery, clock, withPass } = await openPage();
    const { user, pass } = await withPass("ada@example.com");
    const { id: other } = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    await acme.passes.create(other, { userId: user.id });
    const newest = await acme.passes.create(template.id, { userId: user.id });
    const linked: number[] = [];
    for (let hour = 0; hour < 6; hour += 0.5) {
      const createdPass = await join("ADA@example.com", text);
      expect(createdPass.userId).not.toBe(user.id);
      const [job, ...others] = await attemptDelivery(accepted);
      expect(others).toEqual([]);
      if (job !== undefined) {
        expect(job).toMatchObject({ to: "ada@example.com", language: "de", pass: { id: newest.id } });
        expect(job.delivery.kind).toBe("link");
        expect(job.link).toMatch(/\?m=[0-9A-Za-z]{12}r/);
        linked.push(hour);
      }
      // Nothing in the new record reveals the existing owner of the address.
      expect(await acme.subscriptions.get(createdPass.userId)).toMatchObject({
        email: { status: "NONE" },
        wallet: { status: "NONE" },
      });
      clock.move(HOUR / 2);
    }
    expect(linked).toEqual([0, 1, 2]);
    expect((await acme.passes.deliveries(pass.id)).totalElements).toBe(0);
    expect(await acme.subscriptions.get(user.id)).toMatchObject({ email: { status: "NONE" } });
  });

  it("causes no mail to an existing owner who refuses mail, has no card, or is notified by the host", async () => {
    const { acme, join, claim, withPass } = await openPage();
    const { pass } = await withPass("ada@example.com");
    await acme.messageDeliveries.bounceAddress({ email: "ada@example.com", kind: "hard" });
    await acme.users.create({ email: "bob@example.com" });
    await withPass("cy@example.com");
    await join("ada@example.com");
    await join("bob@example.com");
    await join("cy@example.com", null, false);
    expect(await claim()).toEqual([]);
    expect((await acme.passes.deliveries(pass.id)).totalElements).toBe(0);
  });
});
