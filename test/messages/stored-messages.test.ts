import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { DAY, MINUTE, openSending, SECOND, words } from "./sending/sending-scene.js";

describe.each(everyAdapter)("messages on $name", ({ open }) => {
  it("are sent at the same time up to the limit, and the next starts once one of them has ended", async () => {
    const limits = { sendingMessages: 2 };
    const { acme, subscriber, send, advance, get, mail, clock } = await openSending({
      storage: await open(),
      limits,
    });
    await subscriber("ada");
    // The time makes them start together, although there was capacity when each was sent.
    const sendAt = new Date(clock.now + MINUTE).toISOString();
    const ids: string[] = [];
    for (const name of ["first", "second", "third"]) {
      ids.push((await send({ name, sendAt, respectsCap: false })).id);
    }
    clock.move(MINUTE);
    await advance();
    const listStatuses = async () => {
      const all = [];
      for (const id of ids) all.push((await get(id)).status);
      return all.sort();
    };
    expect(await listStatuses()).toEqual(["SCHEDULED", "SENDING", "SENDING"]);
    const { code } = await send({ name: "fourth" }).catch((error) => error);
    expect(code).toBe("too_many_messages");
    await mail.runOnce();
    clock.move(SECOND);
    await advance();
    expect(await listStatuses()).toEqual(["SENDING", "SENT", "SENT"]);
    expect((await acme.statistics.get({ days: 1 })).days).toHaveLength(1);
  });

  it("no longer name a customer who was erased, and retain their sums", async () => {
    const { acme, subscriber, send, draft, advance, get, deliveries, mail, loyalty } = await openSending({
      storage: await open(),
    });
    const [ada, bob] = [await subscriber("ada"), await subscriber("bob")];
    const audience = { userIds: [ada.id, bob.id] };
    const sentMessage = await send({ audience });
    await advance();
    await mail.runOnce();
    const startedMessage = await send({ audience, respectsCap: false });
    await advance();
    const keptMessage = await draft({ audience });
    const theirs = loyalty.organization("globex");
    const others = await theirs.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject: "News" }],
    });
    await acme.users.erase(ada.id);
    for (const { id } of [sentMessage, startedMessage, keptMessage]) {
      expect((await get(id)).audience).toEqual({ userIds: [bob.id] });
    }
    expect(await theirs.messages.get(others.id)).toEqual(others);
    expect((await get(sentMessage.id)).sums).toMatchObject({ recipients: 2, accepted: 2 });
    expect((await deliveries(sentMessage.id)).map(({ userId }) => userId)).toEqual([bob.id]);
    expect((await get(startedMessage.id)).sums).toMatchObject({
      recipients: 2,
      pending: 1,
      skipped: { customer_deleted: 1 },
    });
    await mail.runOnce();
    expect(await get(startedMessage.id)).toMatchObject({
      status: "SENT",
      sums: { accepted: 1, skipped: { customer_deleted: 1 } },
    });
  });

  it("retain their sums when old deliveries are removed, also from the customer's dossier", async () => {
    const { acme, subscriber, send, advance, get, deliveries, mail, clock, template } = await openSending({
      storage: await open(),
      retention: { messageDays: 1 },
    });
    const ada = await subscriber("ada");
    const { id } = await send();
    await advance();
    await mail.runOnce();
    expect((await acme.users.dossier(ada.id)).messageDeliveries).toMatchObject([{ messageId: id }]);
    clock.move(DAY + MINUTE);
    // Each queued delivery removes some that are too old.
    const pass = await acme.passes.create(template.id, { userId: ada.id });
    await acme.passes.notify(pass.id);
    expect(await deliveries(id)).toEqual([]);
    expect((await get(id)).sums).toMatchObject({ recipients: 1, accepted: 1 });
    expect((await acme.users.dossier(ada.id)).messageDeliveries).toMatchObject([{ messageId: null }]);
  });

  it("from which a customer unsubscribes are counted on the day, once per channel", async () => {
    const { acme, subscriber } = await openSending({ storage: await open() });
    const ada = await subscriber("ada");
    await acme.subscriptions.put(ada.id, { wallet: { status: "SUBSCRIBED", text: words } });
    const unsubscribed = { email: { status: "UNSUBSCRIBED" }, wallet: { status: "UNSUBSCRIBED" } } as const;
    for (let time = 0; time < 2; time += 1) await acme.subscriptions.put(ada.id, unsubscribed);
    const { created } = await acme.users.import([{ email: "bob@example.com", emailConsent: "UNSUBSCRIBED" }]);
    expect(created).toBe(1);
    expect(await acme.statistics.get({ days: 1 })).toMatchObject({ unsubscribed: 2 });
  });
});
