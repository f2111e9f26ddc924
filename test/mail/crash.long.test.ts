import { expect, it } from "vitest";
import { killSenders } from "../crash/mail/kill.js";
import { killMessages } from "../crash/messages/kill.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

it("two processes that are killed while they send lose no mail, and repeat no more than were under way", async () => {
  const { mails, doubles, lostCount, underWay } = await killSenders(createTemporaryFile(), 3);
  expect(mails).toBeGreaterThan(0);
  expect(doubles).toBeLessThanOrEqual(lostCount + underWay);
});

it("two processes that are killed while they send messages bring each to all who want it, and tell of its end once", async () => {
  const { messages, mails, doubles, lostCount, underWay } = await killMessages(createTemporaryFile(), 3);
  expect(Math.min(messages, mails)).toBeGreaterThan(0);
  expect(doubles).toBeLessThanOrEqual(lostCount + underWay);
});
