import { type Organization, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound, untyped } from "../kit/refusal.js";
import { accepted, HOUR, MINUTE, noSuchAddress, openMailing } from "./mailing.js";

const allScopesExcept = (scope: string) => scopes.filter((other) => other !== scope);

describe.each(everyAdapter)("a pass mail, on $name", ({ open }) => {
  const openShop = async () => openMailing({ storage: await open() });

  it("is queued, claimed with all its data, and accepted", async () => {
    const { acme, withPass, claim, settle, getDelivery, clock } = await openShop();
    const { user, pass } = await withPass("ada@example.com");
    const delivery = await acme.passes.notify(pass.id, { language: "de-at" });
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^mdl_/),
      object: "message_delivery",
      kind: "pass",
      userId: user.id,
      passId: pass.id,
      messageId: null,
      channel: "email",
      platform: null,
      status: "PENDING",
      reason: null,
      attempts: [],
      nextAttemptAt: clock.timestamp,
    });
    const [job, ...others] = await claim();
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      organizationId: "acme",
      to: "ada@example.com",
      user: { name: "Ada" },
      language: "de-AT",
      pass: { id: pass.id, template: { name: "Coffee" } },
      stampCard: { currentStamps: 0, maxStamps: 5 },
      settings: { senderName: null, replyTo: null, footer: null },
      link: expect.stringMatching(
        new RegExp(`^/c/${pass.qrCodeValue.slice(-12)}\\?m=[0-9A-Za-z]{12}c0-[\\w-]{22}$`),
      ),
      unsubscribe: null,
    });
    expect(await getDelivery(delivery.id)).toMatchObject({ status: "SENDING", nextAttemptAt: null });
    expect(await claim()).toEqual([]);
    if (job !== undefined) await settle(job, accepted);
    expect(await getDelivery(delivery.id)).toMatchObject({
      status: "ACCEPTED",
      reason: null,
      isUncertain: false,
      attempts: [{ at: clock.timestamp, durationMs: 5, code: 250, answer: "2.0.0 Ok: queued" }],
    });
    expect(await claim()).toEqual([]);
  });

  it("is sent once a minute and three times in 24 hours, even by concurrent calls", async () => {
    const { acme, withPass, clock } = await openShop();
    const { pass } = await withPass();
    const notify = () => getErrorDetail(acme.passes.notify(pass.id));
    const pastAttempt = (at: number) => ({
      code: "pass_notified_recently",
      params: [new Date(at).toISOString()],
    });
    const start = clock.now;
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => acme.passes.notify(pass.id)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    clock.move(MINUTE - 1);
    expect(await notify()).toEqual(pastAttempt(start + MINUTE));
    clock.move(1);
    await acme.passes.notify(pass.id);
    clock.move(MINUTE);
    await acme.passes.notify(pass.id);
    clock.move(MINUTE);
    expect(await notify()).toEqual(pastAttempt(start + 24 * HOUR));
    clock.move(24 * HOUR - 3 * MINUTE);
    await acme.passes.notify(pass.id);
  });

  it("is refused for the first reason that applies", async () => {
    const { acme, loyalty, withPass, attemptDelivery, template } = await openShop();
    expect(await getErrorDetail(acme.passes.notify("wp_none"))).toEqual(notFound);
    const { pass } = await withPass();
    await acme.settings.update({ requiresEmail: false });
    const { id: address } = await acme.passes.create(template.id, { user: { phone: "1" } });
    expect(await getErrorDetail(acme.passes.notify(address))).toMatchObject({ code: "no_mail_address" });
    await acme.passes.notify(pass.id);
    expect(await getErrorDetail(acme.passes.notify(pass.id))).toMatchObject({
      code: "pass_notified_recently",
    });
    await attemptDelivery(noSuchAddress);
    expect(await getErrorDetail(acme.passes.notify(pass.id))).toMatchObject({ code: "address_suppressed" });
    const elsewhere = openAcme({ storage: await open() }).acme;
    const { id } = await elsewhere.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const other = await elsewhere.passes.create(id, { user: { email: someEmail() } });
    expect(await getErrorDetail(elsewhere.passes.notify(other.id))).toMatchObject({
      code: "mail_not_configured",
    });
    const denied = loyalty.organization("acme", { scopes: allScopesExcept("pass:notify") });
    expect(await getErrorDetail(denied.passes.notify(pass.id))).toEqual({
      code: "access_denied",
      scope: "pass:notify",
    });
    for (const language of ["german!", "", "de_AT"]) {
      expect(await getErrorDetail(acme.passes.notify(pass.id, { language }))).toMatchObject({
        code: "validation_failed",
        fields: { language: expect.any(String) },
      });
    }
  });

  it("is created in the transaction of a new pass, or the pass reports its refusal", async () => {
    const { acme, claim, template } = await openShop();
    const pass = await acme.passes.create(template.id, { user: { email: someEmail() }, notify: true });
    expect(pass.notification).toMatchObject({ delivery: { passId: pass.id, status: "PENDING" } });
    await acme.settings.update({ requiresEmail: false });
    const mute = await acme.passes.create(template.id, { user: { phone: "1" }, notify: true });
    expect(mute.notification).toEqual({ refused: "no_mail_address" });
    const plain = await acme.passes.create(template.id, { user: { email: someEmail() } });
    expect(plain).not.toHaveProperty("notification");
    expect((await claim()).map(({ delivery }) => delivery.passId)).toEqual([pass.id]);
  });

  it("is sent with an ensured pass as often as the limits allow", async () => {
    const { acme, template, clock } = await openShop();
    const user = { email: someEmail() };
    const ensure = () => acme.passes.ensure(template.id, { user, notify: true });
    const { id, notification } = await ensure();
    expect(notification).toMatchObject({ delivery: { passId: id } });
    expect((await ensure()).notification).toEqual({ refused: "pass_notified_recently" });
    clock.move(MINUTE);
    expect((await ensure()).notification).toMatchObject({ delivery: { passId: id } });
    expect((await acme.passes.deliveries(id)).totalElements).toBe(2);
  });

  it("is created once by a call with an idempotency key", async () => {
    const { acme, template, claim, withPass, clock } = await openShop();
    const input = { user: { email: someEmail() }, notify: true, idempotencyKey: "once" };
    const first = await acme.passes.create(template.id, input);
    expect(await acme.passes.create(template.id, input)).toEqual(first);
    expect(await getErrorDetail(acme.passes.create(template.id, { ...input, notify: false }))).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await claim()).toHaveLength(1);
    const { pass } = await withPass();
    const notified = await acme.passes.notify(pass.id, { idempotencyKey: "again" });
    expect(await acme.passes.notify(pass.id, { idempotencyKey: "again" })).toEqual(notified);
    const notifyOnce = () => acme.passes.notify(pass.id, { idempotencyKey: "soon" });
    expect(await getErrorDetail(notifyOnce())).toMatchObject({ code: "pass_notified_recently" });
    clock.move(MINUTE);
    expect(await notifyOnce()).toMatchObject({ passId: pass.id });
  });

  it("is listed with the other mails of its pass, newest first, by status and in pages", async () => {
    const { acme, withPass, attemptDelivery, clock } = await openShop();
    const { pass } = await withPass();
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      ids.unshift((await acme.passes.notify(pass.id)).id);
      if (at < 2) await attemptDelivery(accepted);
      clock.move(MINUTE);
    }
    const listDeliveryIds = async (query: Parameters<Organization["passes"]["deliveries"]>[1]) => {
      const { content, ...page } = await acme.passes.deliveries(pass.id, query);
      return [content.map(({ id }) => id), page.totalElements];
    };
    expect(await listDeliveryIds({})).toEqual([ids, 3]);
    expect(await listDeliveryIds({ size: 1, page: 1 })).toEqual([ids.slice(1, 2), 3]);
    expect(await listDeliveryIds({ status: "PENDING" })).toEqual([ids.slice(0, 1), 1]);
    expect(await getErrorDetail(acme.passes.deliveries("wp_none"))).toEqual(notFound);
    expect(await getErrorDetail(acme.passes.deliveries(pass.id, untyped({ status: "GONE" })))).toMatchObject({
      code: "validation_failed",
    });
  });
});

describe("a pass mail", () => {
  it("makes the pass fail if there is no mail, and nothing is created", async () => {
    const { acme } = openAcme();
    const { id } = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const input = { user: { email: someEmail() }, notify: true };
    for (const call of [acme.passes.create(id, input), acme.passes.ensure(id, input)])
      expect(await getErrorDetail(call)).toMatchObject({ code: "mail_not_configured" });
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });

  it("with a new pass also requires pass:notify", async () => {
    const { loyalty, template } = await openMailing();
    const denied = loyalty.organization("acme", { scopes: allScopesExcept("pass:notify") });
    const input = { user: { email: someEmail() }, notify: true };
    for (const call of [denied.passes.create(template.id, input), denied.passes.ensure(template.id, input)])
      expect(await getErrorDetail(call)).toEqual({ code: "access_denied", scope: "pass:notify" });
    const { notify: _, ...silent } = input;
    expect(await denied.passes.create(template.id, silent)).toMatchObject({ object: "wallet_pass" });
  });

  it("is refused above limits.pendingMessageDeliveries, and a new pass reports the refusal", async () => {
    const { acme, withPass, template, attemptDelivery } = await openMailing({
      limits: { pendingMessageDeliveries: 1 },
    });
    const { pass } = await withPass();
    const { pass: other } = await withPass();
    await acme.passes.notify(pass.id);
    expect(await getErrorDetail(acme.passes.notify(other.id))).toMatchObject({
      code: "too_many_pending_deliveries",
    });
    const createdPass = await acme.passes.create(template.id, { user: { email: someEmail() }, notify: true });
    expect(createdPass.notification).toEqual({ refused: "too_many_pending_deliveries" });
    await attemptDelivery(accepted);
    expect(await acme.passes.notify(other.id)).toMatchObject({ status: "PENDING" });
  });

  it("wakes senders in this process when it is committed", async () => {
    const { acme, mail, withPass, template } = await openMailing();
    const woken: string[] = [];
    const stop = mail.onWork((organizationId) => woken.push(organizationId));
    const { pass } = await withPass();
    expect(woken).toEqual([]);
    await acme.passes.notify(pass.id);
    await acme.passes.create(template.id, { user: { email: someEmail() }, notify: true });
    expect(woken).toEqual(["acme", "acme"]);
    expect(await mail.queuesWithDueJobs(10)).toEqual(["acme"]);
    stop();
  });

  it("can be read with message:read or pass:read", async () => {
    const { acme, loyalty, withPass } = await openMailing();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    for (const scope of ["message:read", "pass:read"] as const) {
      const limited = loyalty.organization("acme", { scopes: [scope] });
      expect(await limited.messageDeliveries.get(id)).toMatchObject({ id });
    }
    const denied = loyalty.organization("acme", { scopes: ["pass:notify"] });
    expect(await getErrorDetail(denied.messageDeliveries.get(id))).toEqual({
      code: "access_denied",
      scope: "message:read",
    });
  });
});
