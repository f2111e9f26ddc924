import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { DAY, HOUR, listNames, MINUTE, openSending, SECOND } from "./sending-scene.js";
import { expectSums } from "./watched-sums.js";

describe.each(everyAdapter)("a message by mail, on $name", ({ open }) => {
  it("goes to all subscribers in its audience, and gives the reasons why others don't get it", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, subscriber, send, mail, get, sent, deliveries, events, sums } = shop;
    await subscriber("ada");
    await subscriber("bob");
    await acme.users.create({ name: "eve", email: "eve@example.com" });
    const deletedUser = await subscriber("gus");
    await acme.subscriptions.put(deletedUser.id, { email: { status: "UNSUBSCRIBED" } });
    const { id, status } = await send();
    expect(status).toBe("SCHEDULED");
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob"]);
    expect(sent.map(({ subject }) => subject).sort()).toEqual(["News for ada", "News for bob"]);
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: {
        ...{ recipients: 4, customers: 4, pending: 0, sending: 0, accepted: 2, failed: 0, uncertain: 0 },
        skipped: { no_consent: 1, unsubscribed: 1 },
      },
    });
    expect((await deliveries(id)).map(({ status, reason }) => `${status} ${reason}`).sort()).toEqual([
      ...["ACCEPTED null", "ACCEPTED null", "SKIPPED no_consent", "SKIPPED unsubscribed"],
    ]);
    const segmentEvents = await events();
    expect(segmentEvents.map(({ type }) => type)).toEqual(["message.started", "message.completed"]);
    expect(segmentEvents.map(({ actor }) => actor.kind)).toEqual(["worker", "worker"]);
    expect(segmentEvents[0]?.data).toMatchObject({ status: "SENDING", sums: { recipients: 4, pending: 4 } });
    expect(segmentEvents[1]?.data).toMatchObject({ status: "SENT", sums: { accepted: 2 } });
    expect(segmentEvents[1]?.data).not.toHaveProperty("texts");
    expectSums(sums);
  });

  it("to an empty audience is sent immediately", async () => {
    const { send, advance, get, events } = await openSending({ storage: await open() });
    const { id } = await send();
    await advance();
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: { recipients: 0, customers: 0, pending: 0 },
    });
    expect((await events()).map(({ type }) => type)).toEqual(["message.started", "message.completed"]);
  });

  it("counts its recipients from the start, without customers who come later", async () => {
    const shop = await openSending({ storage: await open(), limits: { pendingMessageDeliveries: 4 } });
    const { subscriber, send, messages, get, deliveries, mail, sums, clock } = shop;
    for (const name of ["ada", "bob", "cyd"]) await subscriber(name);
    const { id } = await send();
    await messages.advance("acme");
    await subscriber("dan");
    expect(await get(id)).toMatchObject({ status: "SENDING", sums: { recipients: 3, pending: 3 } });
    expect(await deliveries(id)).toEqual([]);
    await messages.advance("acme");
    expect(await deliveries(id)).toHaveLength(1);
    expect(await get(id)).toMatchObject({ sums: { recipients: 3, pending: 3 } });
    for (let at = 0; at < 5; at += 1) {
      await mail.runOnce();
      clock.move(SECOND);
    }
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { recipients: 3, accepted: 3 } });
    expect(await deliveries(id)).toHaveLength(3);
    expectSums(sums);
  });

  it("checks each customer again when the mail is claimed", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, subscriber, send, advance, mail, get, deliveries, sent, sums } = shop;
    const names = [
      "left",
      "erased",
      "no_address",
      "suppressed",
      "unsubscribed",
      "no_consent",
      "capped",
      "fine",
    ];
    const users = new Map<string, string>();
    for (const name of names) users.set(name, (await subscriber(name)).id);
    const getUserId = (name: string) => users.get(name) ?? "";
    await acme.messageSettings.update({ cap: { perDays: 1, messages: 1 } });
    const first = await send({ audience: { userIds: [getUserId("capped")] } });
    const { id } = await send();
    await advance();
    expect(await get(id)).toMatchObject({ sums: { recipients: 8, pending: 8 } });
    const [claimedFirst] = await serviceInternals(loyalty).backends.mail.claim("acme", "message", 1);
    expect(claimedFirst).toMatchObject({ to: "capped@example.com", message: { id: first.id } });
    await acme.settings.update({ requiresEmail: false });
    await acme.users.delete(getUserId("left"));
    await acme.users.erase(getUserId("erased"));
    sums.rowsMayBeGone = true;
    await acme.users.update(getUserId("no_address"), { email: null, phone: "1" });
    await acme.messageDeliveries.bounceAddress({ email: "suppressed@example.com", kind: "hard" });
    await acme.subscriptions.put(getUserId("unsubscribed"), { email: { status: "UNSUBSCRIBED" } });
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["fine", "no_consent"]);
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: {
        ...{ recipients: 8, accepted: 2 },
        skipped: { customer_deleted: 2, no_address: 1, suppressed: 1, unsubscribed: 1, capped: 1 },
      },
    });
    expect(await deliveries(id)).toHaveLength(7);
    expectSums(sums);
  });

  it("is listed with the customer's oldest card of its template", async () => {
    const { acme, template, subscriber, send, mail } = await openSending({ storage: await open() });
    const { id: userId } = await subscriber("ada");
    const { id: passId } = await acme.passes.create(template.id, { userId });
    await acme.passes.create(template.id, { userId });
    await subscriber("bob");
    const { id } = await send();
    await mail.runOnce();
    const { content } = await acme.messages.deliveries(id);
    expect(new Map(content.map((each) => [each.userId, each.passId])).get(userId)).toBe(passId);
    expect(content.filter((each) => each.passId === null)).toHaveLength(1);
    expect((await acme.passes.deliveries(passId)).content.map(({ messageId }) => messageId)).toEqual([id]);
  });

  it("with `each` goes to a customer who subscribes before the mail is claimed", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, send, advance, mail, get, sent, sums } = shop;
    const { id: userId } = await acme.users.create({ name: "late", email: "late@example.com" });
    const { id } = await send();
    const { id: either } = await send({ order: "first_reachable" });
    await advance();
    await acme.subscriptions.put(userId, { email: { status: "SUBSCRIBED", text: "Yes, please." } });
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["late"]);
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { accepted: 1 } });
    expect(await get(either)).toMatchObject({ status: "SENT", sums: { skipped: { no_consent: 1 } } });
    expectSums(sums);
  });

  it("that bounces has failed, even after the message is sent", async () => {
    const { acme, subscriber, send, mail, get, deliveries, events, sums } = await openSending({
      storage: await open(),
    });
    await subscriber("ada");
    const { id } = await send();
    await mail.runOnce();
    const [delivery] = await deliveries(id);
    if (delivery === undefined) throw new Error("nothing was delivered");
    for (let at = 0; at < 2; at += 1) await acme.messageDeliveries.bounce(delivery.id, { kind: "complaint" });
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { recipients: 1, accepted: 0, failed: 1 } });
    expect((await events()).filter(({ type }) => type === "message.completed")).toHaveLength(1);
    expectSums(sums);
  });

  it("that is canceled sends at most the claimed mails, and emits its end once those have ended", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, subscriber, send, advance, mail, get, events, sent, sums, clock } = shop;
    for (const name of ["ada", "bob", "cyd"]) await subscriber(name);
    const { id } = await send();
    await advance();
    const backend = serviceInternals(loyalty).backends.mail;
    const [job] = await backend.claim("acme", "message", 1);
    if (job === undefined) throw new Error("nothing was claimed");
    expect(await acme.messages.cancel(id)).toMatchObject({ status: "CANCELED" });
    await mail.runOnce();
    expect(sent).toEqual([]);
    expect(await get(id)).toMatchObject({ sums: { sending: 1, skipped: { canceled: 2 } } });
    expect((await events()).map(({ type }) => type)).toEqual(["message.started"]);
    const outcome = { deliveryId: job.delivery.id, to: job.to, at: clock.now, durationMs: 1 };
    await backend.recordResults("acme", "message", job.lease, [
      { ...outcome, result: { kind: "accepted", code: 250, answer: "ok" } },
    ]);
    expect(await get(id)).toMatchObject({ status: "CANCELED", sums: { accepted: 1, sending: 0 } });
    expect((await events()).map(({ type }) => type)).toEqual(["message.started", "message.canceled"]);
    clock.move(DAY);
    await mail.runOnce();
    expect((await events()).map(({ type }) => type)).toEqual(["message.started", "message.canceled"]);
    expectSums(sums);
  });

  it("that is canceled ends a minute after a process has died with its claim", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, subscriber, send, advance, get, sums, clock } = shop;
    await subscriber("ada");
    const { id } = await send();
    await advance();
    await serviceInternals(loyalty).backends.mail.claim("acme", "message", 1);
    await acme.messages.cancel(id);
    clock.move(MINUTE - 1);
    await advance();
    expect(await get(id)).toMatchObject({ sums: { sending: 1 } });
    clock.move(SECOND + 1);
    await advance();
    expect(await get(id)).toMatchObject({
      status: "CANCELED",
      sums: { sending: 0, skipped: { canceled: 1 }, uncertain: 1 },
    });
    expectSums(sums);
  });

  it("ends when it expires: mails that were never tried are skipped, and those that were have failed", async () => {
    const shop = await openSending({ storage: await open() });
    const { loyalty, subscriber, send, advance, get, events, sums, clock } = shop;
    for (const name of ["ada", "bob"]) await subscriber(name);
    const { id } = await send();
    await advance();
    const backend = serviceInternals(loyalty).backends.mail;
    const [job] = await backend.claim("acme", "message", 1);
    if (job === undefined) throw new Error("nothing was claimed");
    const outcome = { deliveryId: job.delivery.id, to: job.to, at: clock.now, durationMs: 1 };
    await backend.recordResults("acme", "message", job.lease, [
      {
        ...outcome,
        result: { kind: "refused", fault: "message", isPermanent: false, code: 451, answer: "no" },
      },
    ]);
    clock.move(DAY);
    await advance();
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: { recipients: 2, failed: 1, skipped: { expired: 1 } },
    });
    expect((await events()).map(({ type }) => type)).toEqual(["message.started", "message.completed"]);
    expect(await backend.claim("acme", "message", 10)).toEqual([]);
    expectSums(sums);
  });

  it("that expires before it starts goes to no customer and emits no event", async () => {
    const shop = await openSending({ storage: await open() });
    const { subscriber, send, advance, get, events, clock } = shop;
    await subscriber("ada");
    const { id } = await send();
    clock.move(DAY);
    await advance();
    const nobody = {
      recipients: 0,
      customers: 0,
      pending: 0,
      sending: 0,
      accepted: 0,
      failed: 0,
      uncertain: 0,
    };
    expect(await get(id)).toMatchObject({ status: "EXPIRED", sums: { ...nobody, skipped: {} } });
    expect(await events()).toEqual([]);
  });

  it("is sent on time even if its sender was removed or demoted since, and the audit trail names the sender", async () => {
    const { loyalty, acme, subscriber, draft, mail, get, sent, clock } = await openSending({
      storage: await open(),
    });
    await subscriber("ada");
    for (const change of ["removed", "demoted"] as const) {
      const { person } = await acme.people.add({ email: `${change}@example.com`, role: "manager" });
      const actor = { kind: "console", id: person.id } as const;
      const theirs = loyalty.organization("acme", { scopes: ["message:send"], actor });
      const { id } = await draft({ sendAt: new Date(clock.now + HOUR).toISOString() });
      await theirs.messages.send(id);
      if (change === "removed") await acme.people.delete(person.id);
      else await acme.people.update(person.id, { role: "till" });
      clock.move(HOUR);
      await mail.runOnce();
      expect((await get(id)).status).toBe("SENT");
      const { content } = await acme.audit.list();
      expect(content.find(({ action, target }) => action === "message.sent" && target === id)).toMatchObject({
        actor,
      });
    }
    expect(sent).toHaveLength(2);
  });

  it("waits for its time, and for the end of quiet hours", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, subscriber, send, mail, get, sent, clock } = shop;
    await subscriber("ada");
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    await acme.messageSettings.update({ quietHours: { from: "00:30", to: "08:00" } });
    const { id } = await send({ sendAt: new Date(clock.now + MINUTE).toISOString() });
    await mail.runOnce();
    clock.move(MINUTE);
    await mail.runOnce();
    // It is one o'clock in Vienna.
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    clock.move(6 * HOUR - MINUTE);
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    clock.move(HOUR);
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ status: "SENT" });
    expect(sent).toHaveLength(1);
  });

  it("that has started is held in quiet hours, and is skipped if it expires during them", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, subscriber, send, advance, mail, get, deliveries, sent, sums, clock } = shop;
    await subscriber("ada");
    const { id } = await send();
    const other = await send({ expiresAt: new Date(clock.now + 2 * HOUR).toISOString() });
    await advance();
    await acme.messageSettings.update({ quietHours: { from: "23:00", to: "08:00" } });
    await mail.runOnce();
    expect(sent).toEqual([]);
    expect(await deliveries(id)).toMatchObject([
      { status: "PENDING", nextAttemptAt: new Date(clock.now + 8 * HOUR).toISOString() },
    ]);
    clock.move(2 * HOUR);
    await mail.runOnce();
    expect(await get(other.id)).toMatchObject({ status: "SENT", sums: { skipped: { expired: 1 } } });
    clock.move(6 * HOUR);
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { accepted: 1 } });
    expectSums(sums);
  });

  it("goes to a customer as often as the cap allows, even if two are sent at the same time", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, subscriber, send, mail, get, sent, sums, clock } = shop;
    await subscriber("ada");
    await acme.messageSettings.update({ cap: { perDays: 2, messages: 1 } });
    const [first, second] = [await send(), await send()];
    await mail.runOnce();
    const statuses = [await get(first.id), await get(second.id)].map(({ sums }) => sums?.accepted);
    expect(statuses.sort()).toEqual([0, 1]);
    expect((await get((await send({ respectsCap: false })).id)).status).toBe("SCHEDULED");
    await mail.runOnce();
    expect(sent).toHaveLength(2);
    clock.move(2 * DAY + SECOND);
    await send();
    await mail.runOnce();
    expect(sent).toHaveLength(3);
    expectSums(sums);
  });

  it("uses the customer's language, and the values of the customer's card at the claim", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, template, subscriber, send, advance, mail, get, sent, sums } = shop;
    const [ada, bob] = [await subscriber("ada"), await subscriber("bob")];
    await acme.subscriptions.put(bob.id, { language: "de-AT" });
    const pass = await acme.passes.create(template.id, { userId: ada.id });
    const createText = (language: string, words: string) => {
      return { language, subject: words, text: `${words}: {stamps} {toGo}` };
    };
    const { id } = await send({
      texts: [createText("en", "News of {card}"), createText("de", "Neues von {card}")],
    });
    await advance();
    await acme.stamps.add(pass.id, { count: 2 });
    await mail.runOnce();
    const texts = new Map(sent.map(({ to, subject, text }) => [to, `${subject} | ${text}`]));
    expect(texts.get("ada@example.com")).toContain("News of Coffee | News of Coffee: 2 3");
    expect(texts.get("bob@example.com")).toContain("Neues von Coffee | Neues von Coffee: 0 5");
    const unsubscribe = sent.find(({ to }) => to === "ada@example.com")?.headers["List-Unsubscribe"] ?? "";
    const token = unsubscribe.match(/\/m\/u\/([^>]+)>/)?.[1] ?? "";
    expect(await serviceInternals(loyalty).backends.mail.unsubscribe(token, "email")).toBe(true);
    const next = await send();
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ sums: { accepted: 2 } });
    expect(await get(next.id)).toMatchObject({ sums: { accepted: 1, skipped: { unsubscribed: 1 } } });
    expectSums(sums);
  });

  it("contains the points of the customer's card at the claim, and 0 without a card of the template", async () => {
    const { acme, subscriber, send, advance, mail, sent } = await openSending({ storage: await open() });
    const club = await acme.templates.create({ name: "Club", type: "LOYALTY_CARD", points: {} });
    const [ada, bob] = [await subscriber("ada"), await subscriber("bob")];
    await acme.subscriptions.put(bob.id, { language: "de-AT" });
    const pass = await acme.passes.create(club.id, { userId: ada.id });
    const other = await acme.templates.create({ name: "Other club", type: "LOYALTY_CARD", points: {} });
    await acme.points.add((await acme.passes.create(other.id, { userId: bob.id })).id, { points: 7 });
    const texts = ["en", "de"].map((language) => ({
      ...{ language, subject: "{card}: {points}", text: "{points} of {card}" },
    }));
    await send({ templateId: club.id, texts });
    await advance();
    await acme.points.add(pass.id, { points: 12_500 });
    await mail.runOnce();
    const subjects = new Map(sent.map(({ to, subject }) => [to, subject]));
    expect(subjects.get("ada@example.com")).toBe("Club: 12,500");
    expect(subjects.get("bob@example.com")).toBe("Club: 0");
    expect(sent.map(({ text }) => text).join()).toContain("12,500 of Club");
  });
});
