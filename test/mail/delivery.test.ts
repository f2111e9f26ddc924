import { generateKeyPairSync } from "node:crypto";
import { createMail, MailSendError } from "loyalty-kit/mail";
import { createMetrics } from "loyalty-kit/observability";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { headerOf, type SmtpFault, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SendReply } from "../../adapters/delivery/mail/outgoing-mail.js";
import { buildPassMail } from "../../adapters/delivery/mail/send-attempt.js";
import { createSmtpTransport } from "../../adapters/delivery/mail/smtp/transport.js";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { openFake, openMailShop } from "./mail-scene.js";
import { createCertificates } from "./smtp/smtp-scene.js";

const MINUTE = 60_000;

describe("a pass mail", () => {
  it("is sent to the customer's mailbox, and then marked as accepted", async () => {
    const { mail, fake, notifyCustomer } = await openMailShop({ replyTo: "hello@shop.example" });
    const { email, deliveryId, delivery, passId } = await notifyCustomer();
    expect(await delivery()).toMatchObject({ status: "PENDING", kind: "pass", passId, attempts: [] });
    await mail.runOnce();
    expect(await delivery()).toMatchObject({
      status: "ACCEPTED",
      reason: null,
      isUncertain: false,
      nextAttemptAt: null,
      attempts: [{ code: 250 }],
    });
    const [received, ...others] = fake.mailbox(email);
    expect(others).toEqual([]);
    expect(received).toMatchObject({
      messageId: `<${deliveryId}@shop.example>`,
      from: { name: "Shop", address: "cards@shop.example" },
      to: [email],
      replyTo: ["hello@shop.example"],
      subject: "Your card: Coffee card",
      envelope: { from: "cards@shop.example", to: email },
    });
    expect(received?.text).toContain("10 more stamps until your reward");
    expect(received?.links).toEqual([expect.stringMatching(/^https:\/\/shop\.example\/c\/[^?]+\?m=\S+$/)]);
    expect(received && headerOf(received, "Auto-Submitted")).toBe("auto-generated");
    expect(received && headerOf(received, "List-Unsubscribe")).toBeNull();
    expect(received?.raw.toString()).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
    expect(received?.raw.toString()).not.toContain("Content-Disposition");
  });

  it("is sent and signed from a domain with non-ASCII letters", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const fake = await openFake();
    const smtp = { url: fake.url };
    const { mail, notifyCustomer } = await openMailShop({
      from: "Caffè <karten@caffè.example>",
      ...{ smtp, dkim: { selector: "s1", key } },
    });
    const { email, deliveryId, delivery } = await notifyCustomer();
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
    const [received] = fake.mailbox(email);
    expect(received?.messageId).toBe(`<${deliveryId}@xn--caff-8oa.example>`);
    expect(received && headerOf(received, "DKIM-Signature")).toContain("d=xn--caff-8oa.example;");
  });

  it("shows the number of stamps when it is sent, not when it was requested", async () => {
    const { mail, fake, acme, notifyCustomer } = await openMailShop();
    const { email, passId } = await notifyCustomer();
    await acme.stamps.add(passId, { count: 4 });
    await mail.runOnce();
    expect(fake.mailbox(email)[0]?.text).toContain("4 of 10 stamps");
  });

  it("has the sender name, reply-to address and footer of the organization", async () => {
    const { mail, fake, acme, notifyCustomer } = await openMailShop({ bounceDomain: "bounces.example" });
    await acme.messageSettings.update({
      senderName: "Café Müller",
      replyTo: "hi@mueller.example",
      footer: "Vienna",
    });
    const { email, deliveryId } = await notifyCustomer();
    await mail.runOnce();
    const [received] = fake.mailbox(email);
    expect(received?.from).toEqual({ name: "Café Müller", address: "cards@shop.example" });
    expect(received?.replyTo).toEqual(["hi@mueller.example"]);
    expect(received?.text).toContain("\nVienna\n");
    expect(received?.envelope.from).toBe(`bounce+${deliveryId}@bounces.example`);
  });

  it("uses the shop's name from the settings if the message settings name no sender", async () => {
    const { mail, fake, acme, notifyCustomer } = await openMailShop();
    await acme.settings.update({ name: "Kaffee am Eck", language: "de" });
    const { email } = await notifyCustomer();
    await mail.runOnce();
    const [received] = fake.mailbox(email);
    expect(received?.from).toEqual({ name: "Kaffee am Eck", address: "cards@shop.example" });
    expect(received?.text).toMatch(/^Hallo/);
  });

  it("has no extra header, whatever the customer's name contains", async () => {
    const { mail, fake, notifyCustomer } = await openMailShop();
    const { email } = await notifyCustomer(undefined, "Ada\r\nBcc: victim@example.com\r\n\r\nHello");
    await mail.runOnce();
    const [received] = fake.mailbox(email);
    expect(received && headerOf(received, "Bcc")).toBeNull();
    expect(fake.mails).toHaveLength(1);
    expect(received?.text).toMatch(/^Hello,/);
  });

  it("is skipped as pass_deleted if the pass is deleted before it is sent", async () => {
    const { mail, fake, acme, notifyCustomer } = await openMailShop();
    const { passId, delivery } = await notifyCustomer();
    await acme.passes.delete(passId);
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "SKIPPED", reason: "pass_deleted" });
    expect(fake.mails).toEqual([]);
  });

  it("expires if it isn't sent within 48 hours", async () => {
    const { mail, fake, clock, notifyCustomer } = await openMailShop();
    const { delivery } = await notifyCustomer();
    clock.move(48 * 60 * MINUTE);
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "SKIPPED", reason: "expired" });
    expect(fake.mails).toEqual([]);
  });
});

describe("a mail that the server doesn't accept", () => {
  const rejections: readonly (readonly [string, SmtpFault, object])[] = [
    ["has no such mailbox", smtpFaults.noSuchMailbox, { status: "FAILED", reason: "address_refused" }],
    ["has it full for good", smtpFaults.mailboxFull, { status: "FAILED", reason: "message_refused" }],
    ["refuses it by its policy", smtpFaults.blockedByPolicy, { status: "FAILED", reason: "message_refused" }],
    ["takes it for spam", smtpFaults.spam, { status: "FAILED", reason: "message_refused" }],
    ["puts it off", smtpFaults.greylisted, { status: "PENDING", isUncertain: false }],
    ["answers a line of 1 MB", smtpFaults.longLine, { status: "PENDING" }],
    ["goes before it answers", smtpFaults.answerLost, { status: "PENDING", isUncertain: true }],
    ["goes in the middle of it", smtpFaults.cutInContent, { status: "PENDING", isUncertain: true }],
  ];

  it.each(rejections)("counts the attempt when the server %s", async (_, fault, expected) => {
    const { mail, fake, notifyCustomer, clock } = await openMailShop();
    const { delivery } = await notifyCustomer();
    fake.script(fault);
    await mail.runOnce();
    const after = await delivery();
    expect(after).toMatchObject({ ...expected, attempts: [{}] });
    const [attempt] = after.attempts;
    expect(attempt?.answer?.length ?? 0).toBeLessThanOrEqual(200);
    expect(mail.state().isWaiting).toBe(false);
    if (after.status !== "PENDING") return;
    expect(after.nextAttemptAt).toBe(new Date(clock.now + MINUTE).toISOString());
    clock.move(MINUTE);
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
  });

  const faulty: readonly (readonly [string, SmtpFault])[] = [
    ["is too busy to greet", smtpFaults.busyGreeting],
    ["lets nobody sign in", smtpFaults.signInRefused],
    ["refuses the sender", smtpFaults.senderRefused],
  ];

  it.each(faulty)(
    "doesn't count the attempt when the server %s, and all other mails wait",
    async (_, fault) => {
      const fake = await openFake({ user: { name: "shop", password: "secret" } });
      const shop = await openMailShop({ smtp: { url: fake.url, connections: 1 } });
      const { delivery } = await shop.notifyCustomer();
      const other = await shop.notifyCustomer();
      fake.script(fault);
      await shop.mail.runOnce();
      expect(await delivery()).toMatchObject({ status: "PENDING", isUncertain: false });
      expect((await other.delivery()).attempts).toEqual([]);
      expect(shop.mail.state()).toMatchObject({ isWaiting: true, underWay: 0 });
      expect(shop.errors.map(String)).toEqual([expect.stringContaining("emails are on hold")]);
      await shop.mail.runOnce();
      expect(fake.mails).toEqual([]);
      await shop.restart();
      shop.clock.move(MINUTE);
      await shop.mail.runOnce();
      expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
      expect(await other.delivery()).toMatchObject({ status: "ACCEPTED" });
    },
  );

  it("is uncertain if the server falls silent at its end, and waits with all others if it is silent before", async () => {
    const fake = await openFake();
    const quick = { opening: 1_000, silence: 1_000, attempt: 5_000 };
    const smtp = createSmtpTransport({ smtp: fake.url, from: "cards@shop.example", times: quick });
    onTestFinished(() => smtp.close());
    const { mail, notifyCustomer } = await openMailShop({ smtp });
    const uncertain = await notifyCustomer();
    fake.script(smtpFaults.silentEnd);
    await mail.runOnce();
    expect(await uncertain.delivery()).toMatchObject({
      status: "PENDING",
      isUncertain: true,
      attempts: [{}],
    });
    expect(fake.mailbox(uncertain.email)).toHaveLength(1);
    expect(mail.state().isWaiting).toBe(false);
    const { delivery } = await notifyCustomer();
    fake.script(smtpFaults.silentGreeting);
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "PENDING", isUncertain: false });
    expect(mail.state().isWaiting).toBe(true);
  });

  it("suppresses the address if the refusal is permanent", async () => {
    const { mail, fake, acme, notifyCustomer } = await openMailShop();
    const { userId } = await notifyCustomer();
    fake.script(smtpFaults.noSuchMailbox);
    await mail.runOnce();
    expect(await acme.subscriptions.get(userId)).toMatchObject({ suppressed: { reason: "refused" } });
  });
});

describe("a mail whose reply is lost", () => {
  it("may arrive twice, with the same Message-ID", async () => {
    const { mail, fake, notifyCustomer, clock } = await openMailShop();
    const { email, delivery } = await notifyCustomer();
    fake.script(smtpFaults.answerLost);
    await mail.runOnce();
    clock.move(MINUTE);
    await mail.runOnce();
    const ids = fake.mailbox(email).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await delivery()).toMatchObject({ status: "ACCEPTED", isUncertain: true, attempts: [{}, {}] });
  });

  it("because its process ended is sent again after its claim expires, with the same Message-ID", async () => {
    const { mail, fake, loyalty, notifyCustomer, clock } = await openMailShop();
    const { email, delivery } = await notifyCustomer();
    const transport = createSmtpTransport({ smtp: fake.url, from: "cards@shop.example" });
    const [job] = await serviceInternals(loyalty).backends.mail.claim("acme", "pass", 1);
    if (job?.pass == null) throw new Error("no mail of a pass was claimed");
    const sender = {
      ...{ publicUrl: "https://shop.example", from: { name: null, address: "cards@shop.example" } },
      ...{ replyTo: null, bounceDomain: null, host: "shop.example" },
    };
    const { id } = job.delivery;
    await transport.send(
      buildPassMail({ ...job, pass: job.pass, delivery: { id, kind: "pass" } }, sender, new Date(clock.now)),
    );
    await transport.close();
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "SENDING" });
    clock.move(MINUTE);
    await mail.runOnce();
    clock.move(MINUTE);
    await mail.runOnce();
    expect(fake.mailbox(email)).toHaveLength(2);
    expect(fake.doubles()).toHaveLength(1);
    expect(await delivery()).toMatchObject({ status: "ACCEPTED", isUncertain: true });
  });
});

describe("several processes", () => {
  it("on one file send each mail once", async () => {
    const file = createTemporaryFile();
    const first = await openMailShop({}, await sqliteStorage(file));
    const { loyalty } = openAcme({ storage: await sqliteStorage(file) });
    const second = createMail(loyalty, {
      ...{ publicUrl: "https://shop.example", from: "cards@shop.example", smtp: first.fake.url },
      ...{ deliver: false, rate: { requests: 1_000, seconds: 1 } },
    });
    const passes = [];
    for (let at = 0; at < 40; at += 1) passes.push(await first.notifyCustomer());
    await Promise.all([first.mail.runOnce(), second.runOnce(), first.mail.runOnce(), second.runOnce()]);
    await second.close();
    expect(first.fake.mails).toHaveLength(40);
    expect(first.fake.doubles()).toEqual([]);
    for (const { delivery } of passes) expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
  });
});

describe("a relay", () => {
  it("that requires TLS and a password gets both", async () => {
    const { key, certificate, ca } = createCertificates();
    const user = { name: "shop", password: "secret" };
    const fake = await openFake({ user, tls: { kind: "starttls", key, certificate } });
    const { mail, notifyCustomer } = await openMailShop({ smtp: { url: fake.url, ca } });
    const { delivery, email } = await notifyCustomer();
    await mail.runOnce();
    expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
    expect(fake.mailbox(email)).toMatchObject([{ isEncrypted: true, user: "shop" }]);
  });

  it("is counted in the metrics by its replies", async () => {
    const { mail, fake, loyalty, notifyCustomer } = await openMailShop();
    const metrics = createMetrics(loyalty);
    fake.script(null, smtpFaults.noSuchMailbox);
    await notifyCustomer();
    await mail.runOnce();
    await notifyCustomer();
    await mail.runOnce();
    const text = await metrics.text();
    metrics.close();
    expect(text).toContain('loyalty_mail_attempts_total{result="accepted"} 1');
    expect(text).toContain('loyalty_mail_attempts_total{result="refused"} 1');
    expect(text).toContain("loyalty_mail_lag_seconds_count 1");
    expect(text).toContain("loyalty_mail_transport_waits 0");
  });

  it("that hangs delays no call and no stamp", async () => {
    let releaseSend = () => {};
    const hanging = new Promise<void>((resolve) => {
      releaseSend = resolve;
    });
    const { mail, acme, notifyCustomer } = await openMailShop({ smtp: { send: () => hanging } });
    const { passId, delivery } = await notifyCustomer();
    const step = mail.runOnce();
    while (mail.state().underWay === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await delivery()).toMatchObject({ status: "SENDING" });
    expect(await acme.stamps.add(passId)).toMatchObject({ currentStamps: 1 });
    await notifyCustomer();
    releaseSend();
    await step;
    expect(await delivery()).toMatchObject({ status: "ACCEPTED" });
  });

  it("of the host reports with MailSendError why a mail was not sent", async () => {
    const refusal = new MailSendError({
      fault: "address",
      isPermanent: true,
      code: 550,
      answer: "nobody@example.com?",
    });
    const { mail, notifyCustomer } = await openMailShop({
      smtp: {
        send: async () => {
          throw refusal;
        },
      },
    });
    const { delivery } = await notifyCustomer();
    await mail.runOnce();
    const { status, reason, attempts } = await delivery();
    expect({ status, reason }).toEqual({ status: "FAILED", reason: "address_refused" });
    expect(attempts).toMatchObject([{ code: 550, answer: expect.not.stringContaining("@") }]);
  });

  it.each([
    ["with the result of a mail library", { accepted: ["ada@example.com"], response: "250 Ok" }, null, ""],
    ["with only a code", { code: 250 }, 250, ""],
    ["with values of other types", { code: "250", answer: 5 }, null, ""],
    ["with an invalid code", { code: 250.5, answer: "Ok" }, null, "Ok"],
    ["with only text", "Ok", null, ""],
    ["nothing", null, null, ""],
  ])("of the host that answers %s sends the mail once", async (_, answerName: unknown, code, answer) => {
    let count = 0;
    // A host written in JavaScript returns whatever its library returns.
    const send = async () => {
      count += 1;
      return answerName as SendReply;
    };
    const { clock, errors, mail, notifyCustomer } = await openMailShop({ smtp: { send } });
    const { delivery } = await notifyCustomer();
    await mail.runOnce();
    const { status, attempts } = await delivery();
    expect({ status, attempts }).toMatchObject({ status: "ACCEPTED", attempts: [{ code, answer }] });
    clock.move(60 * MINUTE);
    await mail.runOnce();
    expect([count, errors]).toEqual([1, []]);
  });

  it("reports a fault without the address in the server's reply, wherever its lines break", async () => {
    const lines: string[] = [];
    const refusal = new MailSendError({
      fault: "transport",
      code: 550,
      answer: "550-5.1.8 no mail for Ada.Love\r\n550-5.1.8 lace@exam\r\n550 5.1.8 ple.com from here",
    });
    const { mail, notifyCustomer } = await openMailShop({
      smtp: {
        send: async () => {
          throw refusal;
        },
      },
      onFinding: ({ message }) => lines.push(message),
    });
    const { delivery } = await notifyCustomer("ada.lovelace@example.com");
    await mail.runOnce();
    const [attempt] = (await delivery()).attempts;
    expect(attempt?.answer).toBe("550-5.1.8 no mail for … from here");
    expect(lines.at(-1)).toMatch(/: 550-5\.1\.8 no mail for … from here$/);
  });
});
