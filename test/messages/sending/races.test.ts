import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { sharedDatabases } from "../../kit/shared-databases.js";
import { findBrokenSums } from "./broken-sums.js";
import { DAY, words } from "./sending-scene.js";

const CUSTOMERS = 24;

/** Opens two processes, as the storage sees it, that send messages to the customers of one shop. */
async function openTwo(open: () => Promise<StorageAdapter>) {
  const clock = new ManualClock();
  const recipients: string[] = [];
  const process = async () => {
    const storage = await open();
    const loyalty = new LoyaltyService({
      storage,
      clock: clock.read,
      // Each slice contains only some members.
      limits: { pendingMessageDeliveries: 20 },
    });
    const mail = createMail(loyalty, {
      ...{ publicUrl: "https://shop.example", from: "cards@shop.example", deliver: false },
      ...{ rate: { requests: 10_000, seconds: 1 } },
      smtp: {
        async send({ to }) {
          recipients.push(to);
        },
      },
    });
    onTestFinished(async () => {
      await mail.close();
      await loyalty.close();
    });
    return {
      storage,
      mail,
      acme: loyalty.organization("acme"),
      messages: serviceInternals(loyalty).backends.messages,
    };
  };
  const [here, there] = [await process(), await process()];
  const users: string[] = [];
  for (let at = 0; at < CUSTOMERS; at += 1) {
    const { id } = await here.acme.users.create({ email: `customer-${at}@example.com` });
    await here.acme.subscriptions.put(id, { email: { status: "SUBSCRIBED", text: words } });
    users.push(id);
  }
  const send = async () => {
    const { id } = await here.acme.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject: "News", text: "Hello" }],
    });
    await here.acme.messages.send(id);
    return id;
  };
  const runWorkers = async () => {
    await Promise.all([here.mail.runOnce(), there.mail.runOnce()]);
    clock.move(1_000);
  };
  const listEventTypes = async (id: string) => {
    const { content } = await here.acme.events.list({ limit: 1_000 });
    return content
      .filter(({ type, data }) => type.startsWith("message.") && Reflect.get(data, "id") === id)
      .map(({ type }) => type);
  };
  return { clock, sent: recipients, here, there, users, send, runWorkers, kinds: listEventTypes };
}

describe.each(Object.entries(sharedDatabases))("two processes on %s", (_, database) => {
  it("send a message to each customer once, and emit its end once", async () => {
    const { sent, here, send, runWorkers, kinds } = await openTwo(await database());
    const id = await send();
    for (let at = 0; at < 40 && (await here.acme.messages.get(id)).status !== "SENT"; at += 1)
      await runWorkers();
    expect(await here.acme.messages.get(id)).toMatchObject({
      status: "SENT",
      sums: { recipients: CUSTOMERS, accepted: CUSTOMERS },
    });
    expect(sent).toHaveLength(CUSTOMERS);
    expect(new Set(sent).size).toBe(CUSTOMERS);
    expect(await kinds(id)).toEqual(["message.started", "message.completed"]);
    expect(await findBrokenSums(here.storage, "acme")).toEqual([]);
  });

  it("send nothing that they claim after an unsubscribe, an erasure or a cancellation", async () => {
    const { sent, here, there, users, send, runWorkers, kinds, clock } = await openTwo(await database());
    const id = await send();
    await here.messages.advance("acme");
    const endedAddresses: string[] = [];
    for (const [at, userId] of users.slice(0, 12).entries()) {
      const removeCustomer = async () => {
        const { acme } = at % 2 === 0 ? here : there;
        if (at % 3 === 0) await acme.users.erase(userId);
        else await acme.subscriptions.put(userId, { email: { status: "UNSUBSCRIBED" } });
        endedAddresses.push(`customer-${at}@example.com`);
        return sent.length;
      };
      const [before] = await Promise.all([removeCustomer(), runWorkers()]);
      // Mails sent from now on were claimed before, or are for other customers.
      const later = sent.slice(before).filter((to) => endedAddresses.slice(0, -1).includes(to));
      expect(later).toEqual([]);
    }
    const [canceled] = await Promise.allSettled([there.acme.messages.cancel(id), runWorkers(), runWorkers()]);
    const { length } = sent;
    clock.move(DAY / 2);
    for (let at = 0; at < 4; at += 1) await runWorkers();
    if (canceled.status === "fulfilled") expect(sent).toHaveLength(length);
    const { status, sums } = await here.acme.messages.get(id);
    expect(status).toBe(canceled.status === "fulfilled" ? "CANCELED" : "SENT");
    expect(sums).toMatchObject({ recipients: CUSTOMERS, pending: 0, sending: 0 });
    expect(new Set(sent).size).toBe(sent.length);
    expect(await kinds(id)).toHaveLength(2);
    expect(await findBrokenSums(here.storage, "acme", true)).toEqual([]);
  });
});
