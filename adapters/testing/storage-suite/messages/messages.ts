import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { StoredMessageDelivery } from "../../../../src/storage/mail.js";
import { messageJobs, type StoredMessage } from "../../../../src/storage/messages.js";
import { someMessageText } from "../kit/message-records.js";
import { SuiteOrganization } from "../kit/organization.js";
import { listIds } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const messages: Statements = {
  "a message is replaced as a whole, except for its id and creation time": async (storage, acme) => {
    const original = await acme.message({ createdAt: 3 });
    const after: StoredMessage = {
      ...original,
      status: "SENDING",
      channels: ["wallet", "email"],
      order: "first_reachable",
      texts: [someMessageText(), someMessageText({ language: "de", wallet: null })],
      audience: '{ "all":true }',
      skipped: '{"customer_deleted":2}',
      respectsCap: true,
      cursor: 7,
      createdAt: 9,
    };
    assert.equal(await acme.write((tx) => tx.updateMessage(after)), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findMessage(original.id)), {
      ...after,
      createdAt: 3,
    });
    assert.equal(await storage.transaction("globex", (tx) => tx.updateMessage(after)), false);
    assert.equal(await runStep(storage.reader("globex").findMessage(original.id)), null);
  },

  "updateMessageProgress doesn't change the content, channels or audience of a message": async (
    storage,
    acme,
  ) => {
    const original = await acme.message();
    const progress = {
      status: "SENDING",
      skipped: '{"capped":2}',
      pending: 3,
      cursor: 7,
      updatedAt: 9,
    } as const;
    const update = {
      ...original,
      ...progress,
      name: "Other",
      texts: [],
      audience: "{}",
      channels: [],
      link: "x",
    };
    assert.equal(await acme.write((tx) => tx.updateMessageProgress(update)), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findMessage(original.id)), {
      ...original,
      ...progress,
    });
    assert.equal(await storage.transaction("globex", (tx) => tx.updateMessageProgress(update)), false);
  },

  "messages are listed newest first, in pages, with their total, optionally by status": async (
    storage,
    acme,
  ) => {
    const times = [3, 1, 4, 1, 5];
    for (const [at, createdAt] of times.entries()) {
      await acme.message({ id: `${at}`, createdAt, status: at % 2 === 0 ? "SENT" : "DRAFT" });
    }
    await new SuiteOrganization(storage, "globex").message({ status: "SENT" });
    const list = async (status: StoredMessage["status"] | null, page: number, size: number) => {
      const { items, total } = await runStep(storage.reader(acme.id).listMessages({ status, page, size }));
      return [listIds(items).join(""), total];
    };
    assert.deepEqual(await list(null, 0, 10), ["42031", 5]);
    assert.deepEqual(await list(null, 1, 2), ["03", 5]);
    assert.deepEqual(await list("SENT", 0, 2), ["42", 3]);
    assert.deepEqual(await list("SENT", 1, 2), ["0", 3]);
    assert.deepEqual(await list("SENDING", 0, 2), ["", 0]);
  },

  "messages are counted, and scheduled messages and messages being sent also separately": async (
    storage,
    acme,
  ) => {
    const statuses = ["DRAFT", "SCHEDULED", "SENDING", "SENDING", "SENT", "CANCELED", "EXPIRED"] as const;
    for (const status of statuses) await acme.message({ status });
    const count = (kind: "messages" | "scheduledMessages" | "sendingMessages") =>
      runStep(storage.reader(acme.id).countOf(kind));
    assert.deepEqual(
      [await count("messages"), await count("scheduledMessages"), await count("sendingMessages")],
      [7, 1, 2],
    );
  },

  "an audience can be read from any ordinal, across distant chunks, and is gone once it is removed": async (
    storage,
    acme,
  ) => {
    const { id } = await acme.message();
    const members = [0, 7, 31, 32, 15_359, 15_360, 400_000, 999_999];
    await acme.write((tx) => tx.putMessageAudience(id, Bitmap.of(members)));
    const readAudience = (from: number, limit: number) =>
      runStep(storage.reader(acme.id).messageAudience(id, from, limit));
    assert.deepEqual(await readAudience(0, 100), members);
    for (const [at, member] of members.entries()) {
      assert.deepEqual(await readAudience(member, 2), members.slice(at, at + 2));
      assert.deepEqual(await readAudience(member + 1, 100), members.slice(at + 1));
    }
    assert.deepEqual(await runStep(storage.reader("globex").messageAudience(id, 0, 100)), []);
    await assert.rejects(
      acme.write((tx) => tx.putMessageAudience("none", Bitmap.of([1]))),
      Error,
    );
    await acme.write((tx) => tx.removeMessageAudience(id));
    assert.deepEqual(await readAudience(0, 100), []);
    await acme.write((tx) => tx.putMessageAudience(id, Bitmap.empty));
    assert.deepEqual(await readAudience(0, 100), []);
  },

  "deleting a message deletes its audience and job, but not its deliveries": async (storage, acme) => {
    await acme.messageQueue();
    const [deletedMessage, other] = [await acme.message(), await acme.message()];
    for (const message of [deletedMessage, other]) {
      await acme.write((tx) => tx.putMessageAudience(message.id, Bitmap.of([1])));
      await acme.messageJob(message);
    }
    await acme.messageDeliveries([{ kind: "message", messageId: deletedMessage.id }]);
    assert.equal(await storage.transaction("globex", (tx) => tx.deleteMessage(deletedMessage.id)), false);
    assert.equal(await acme.write((tx) => tx.deleteMessage(deletedMessage.id)), true);
    assert.equal(await acme.write((tx) => tx.deleteMessage(deletedMessage.id)), false);
    assert.deepEqual(await runStep(storage.reader(acme.id).messageAudience(deletedMessage.id, 0, 9)), []);
    const claimed = await acme.claimMessages();
    assert.deepEqual(
      claimed.map(({ messageId }) => messageId),
      [other.id],
    );
    const listOptions = { status: null, page: 0, size: 9 };
    assert.equal(
      (
        await runStep(
          storage.reader(acme.id).messageDeliveriesOf({ messageId: deletedMessage.id }, listOptions),
        )
      ).total,
      1,
    );
  },

  "a message queue is served while one of its jobs is due, but not for deleted jobs": async (
    storage,
    acme,
  ) => {
    await acme.messageQueue({ testTimes: [4, 9] });
    assert.deepEqual(await runStep(storage.reader(acme.id).findQueue(messageJobs)), {
      testTimes: [4, 9],
      createdAt: 1,
    });
    const [first, second] = [await acme.message(), await acme.message()];
    await acme.messageJob(first, { nextAttemptAt: 3 });
    await acme.messageJob(second, { nextAttemptAt: 5 });
    const findQueuesWithWork = (now: number) => runStep(storage.all.queuesWithDueJobs(messageJobs, now, 10));
    assert.deepEqual([await findQueuesWithWork(2), await findQueuesWithWork(3)], [[], [acme.id]]);
    await acme.claimMessages({ now: 3 });
    const deleteJobs = (...subjects: string[]) =>
      acme.write((tx) => tx.deleteJobs(messageJobs, "message", subjects));
    await deleteJobs(first.id, "none");
    assert.deepEqual([await findQueuesWithWork(4), await findQueuesWithWork(5)], [[], [acme.id]]);
    await deleteJobs(first.id, second.id);
    assert.deepEqual(await findQueuesWithWork(100), []);
  },

  "a message has one delivery per user and channel, but any number of test deliveries": async (
    storage,
    acme,
  ) => {
    const deliveryFields = { kind: "message", messageId: "msg", userId: "ada" } as const;
    await acme.messageDeliveries([
      deliveryFields,
      { ...deliveryFields, channel: "wallet" },
      { ...deliveryFields, userId: "bob" },
    ]);
    await acme.messageDeliveries([{ ...deliveryFields, messageId: "other" }]);
    await acme.messageDeliveries([
      { ...deliveryFields, kind: "test" },
      { ...deliveryFields, kind: "test" },
    ]);
    await new SuiteOrganization(storage, "globex").messageDeliveries([deliveryFields]);
    await assert.rejects(acme.messageDeliveries([deliveryFields]), Error);
    const all = { status: null, page: 0, size: 10 };
    assert.equal(
      (await runStep(storage.reader(acme.id).messageDeliveriesOf({ messageId: "msg" }, all))).total,
      3,
    );
    assert.equal(
      (await runStep(storage.reader(acme.id).messageDeliveriesOf({ userId: "ada" }, all))).total,
      5,
    );
  },

  "the deliveries of a message with a status are listed oldest first, starting after any of them": async (
    storage,
    acme,
  ) => {
    const messageSource = { kind: "message", messageId: "msg" } as const;
    await acme.messageDeliveries(
      [3, 1, 1, 2, 9].map((createdAt, at) => ({ ...messageSource, id: `${at}`, userId: `${at}`, createdAt })),
    );
    await acme.messageDeliveries([
      { ...messageSource, status: "SENDING", nextAttemptAt: null },
      { ...messageSource, messageId: "other" },
      { ...messageSource, kind: "test" },
    ]);
    const listPending = async (after: StoredMessageDelivery | null, limit: number) =>
      runStep(storage.reader(acme.id).messageDeliveriesWith("msg", "PENDING", after, limit));
    const first = await listPending(null, 2);
    assert.equal(listIds(first).join(""), "12");
    assert.equal(listIds(await listPending(first[1] ?? null, 2)).join(""), "30");
    assert.equal(listIds(await listPending(first[0] ?? null, 9)).join(""), "2304");
    assert.equal(
      (await runStep(storage.reader(acme.id).messageDeliveriesWith("msg", "SENDING", null, 9))).length,
      1,
    );
  },

  "recentMessagesOf returns the deliveries that users have received, or may have received, since a time":
    async (storage, acme) => {
      const createRow = (id: string, fields: Partial<StoredMessageDelivery>) => ({
        kind: "message" as const,
        messageId: `of ${id}`,
        userId: "ada",
        id,
        updatedAt: 5,
        ...fields,
      });
      await acme.messageDeliveries([
        createRow("accepted", { status: "ACCEPTED" }),
        createRow("automated", {
          ...{ kind: "automation", messageId: null, automationRunId: "atr", actionIndex: 1 },
          ...{ status: "ACCEPTED", userId: "bob" },
        }),
        createRow("before", { status: "ACCEPTED", updatedAt: 4 }),
        createRow("failed", { status: "FAILED", isUncertain: true }),
        createRow("lost", { status: "PENDING", isUncertain: true }),
        createRow("mail", { kind: "pass", status: "ACCEPTED" }),
        createRow("others", { status: "ACCEPTED", userId: "eve" }),
        createRow("sending", { status: "SENDING" }),
        createRow("skipped", { status: "SKIPPED" }),
        createRow("test", { kind: "test", status: "ACCEPTED" }),
        createRow("waiting", { status: "PENDING" }),
      ]);
      const listRecent = async (since: number) =>
        (await runStep(storage.reader(acme.id).recentMessagesOf(["bob", "ada", "none"], since)))
          .map(({ deliveryId }) => deliveryId)
          .sort();
      assert.deepEqual(await listRecent(4), ["accepted", "automated", "lost", "sending"]);
      assert.deepEqual(await listRecent(3), ["accepted", "automated", "before", "lost", "sending"]);
      assert.deepEqual(await listRecent(5), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).recentMessagesOf(["bob"], 0)), [
        { userId: "bob", messageId: "atr", deliveryId: "automated" },
      ]);
    },

  "messagesWithRecipient searches a limited number of messages per call, and returns where to continue":
    async (storage, acme) => {
      for (const id of ["a", "b", "c", "d"]) {
        await acme.message({
          id,
          audience: JSON.stringify({ userIds: id === "c" ? ["usr_12"] : ["usr_1"] }),
        });
      }
      const findWithRecipient = (after: string, limit: number) =>
        runStep(storage.reader(acme.id).messagesWithRecipient('"usr_1"', after, limit));
      assert.deepEqual(await findWithRecipient("", 3), { ids: ["a", "b"], next: "c" });
      assert.deepEqual(await findWithRecipient("c", 3), { ids: ["d"], next: null });
      assert.deepEqual(await findWithRecipient("d", 3), { ids: [], next: null });
      assert.deepEqual(await runStep(storage.reader(acme.id).messagesWithRecipient('"USR_1"', "", 9)), {
        ids: [],
        next: null,
      });
    },

  "cards that show a message are listed from a given pass on, including revoked cards": async (
    storage,
    acme,
  ) => {
    await acme.walletQueue();
    for (const passId of ["b", "a", "c"]) await acme.walletCard({ passId, messageId: "msg" });
    await acme.walletCard({ passId: "d", messageId: "msg", revokedAt: 5, notificationTimes: [1, 2, 3] });
    await acme.walletCard({ passId: "e", messageId: "other" });
    await acme.walletCard({ passId: "f" });
    const listShown = async (after: string, limit: number) =>
      (await runStep(storage.reader(acme.id).walletCardsWithMessage("msg", after, limit))).map(
        ({ passId }) => passId,
      );
    assert.deepEqual(await listShown("", 2), ["a", "b"]);
    assert.deepEqual(await listShown("b", 9), ["c", "d"]);
    assert.deepEqual(await runStep(storage.reader("globex").walletCardsWithMessage("msg", "", 9)), []);
  },
};
