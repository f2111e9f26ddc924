import { expect, it } from "vitest";
import { killSenders } from "../crash/mail/kill.js";
import { temporaryFile } from "../sqlite/temporary-file.js";

it("two processes that are killed while they send lose no mail, and repeat no more than were under way", async () => {
  const { mails, doubles, lost, underWay } = await killSenders(temporaryFile(), 3);
  expect(mails).toBeGreaterThan(0);
  expect(doubles).toBeLessThanOrEqual(lost + underWay);
});
