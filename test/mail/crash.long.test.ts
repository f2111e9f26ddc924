import { expect, it } from "vitest";
import { killSenders } from "../crash/mail/kill.js";
import { killMessages } from "../crash/messages/kill.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

it("two processes that are killed while sending lose no mail, and repeat at most those in flight", async () => {
  const { mails, doubles, lostCount, underWay } = await killSenders(createTemporaryFile(), 3);
  expect(mails).toBeGreaterThan(0);
  expect(doubles).toBeLessThanOrEqual(lostCount + underWay);
});

it("two processes killed while sending messages deliver each to all subscribers, and emit its end once", async () => {
  const { messages, mails, doubles, lostCount, underWay } = await killMessages(createTemporaryFile(), 3);
  expect(Math.min(messages, mails)).toBeGreaterThan(0);
  expect(doubles).toBeLessThanOrEqual(lostCount + underWay);
});
