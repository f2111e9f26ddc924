import fc from "fast-check";
import type { MessageDelivery } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { isLoyaltyError } from "../../src/base/errors.js";
import type { MailJob } from "../../src/messages/mail-claim.js";
import type { MailResult } from "../../src/messages/mail-outcome.js";
import { accepted, later, MINUTE, noSuchAddress, openMailing, unreachable } from "./mailing.js";

type Status = MessageDelivery["status"];

/**
 * Allowed next statuses. A delivery in `SENDING` is looked at when its claim has ended, so it may end in the same
 * step.
 */
const next: Readonly<Record<Status, readonly Status[]>> = {
  PENDING: ["PENDING", "SENDING", "SKIPPED", "FAILED"],
  SENDING: ["SENDING", "ACCEPTED", "PENDING", "SKIPPED", "FAILED"],
  ACCEPTED: ["ACCEPTED", "FAILED"],
  SKIPPED: ["SKIPPED"],
  FAILED: ["FAILED"],
};

const refusedMessage: MailResult = {
  kind: "refused",
  fault: "message",
  isPermanent: true,
  code: 554,
  answer: "5.6.0 No",
};
const lostConnection: MailResult = { kind: "transport", isUncertain: true, code: null, answer: null };

const step = fc.oneof(
  fc.record({ kind: fc.constant("notify" as const), of: fc.nat(2) }),
  fc.record({ kind: fc.constant("claim" as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant("settle" as const),
    of: fc.nat(5),
    result: fc.constantFrom(accepted, later, noSuchAddress, refusedMessage, unreachable, lostConnection, {
      kind: "unsent",
    } as const),
  }),
  fc.record({
    kind: fc.constant("bounce" as const),
    of: fc.nat(5),
    as: fc.constantFrom("hard", "soft", "complaint"),
  }),
  fc.record({ kind: fc.constant("change" as const), of: fc.nat(2) }),
  fc.record({ kind: fc.constant("revoke" as const), of: fc.nat(2) }),
  fc.record({
    kind: fc.constant("wait" as const),
    ms: fc.constantFrom(1, 5_000, MINUTE, 6 * MINUTE, 13 * 60 * MINUTE, 50 * 60 * MINUTE),
  }),
);

describe("a delivery", () => {
  it("moves only along the table in any history, and is either to be sent or has ended", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const { acme, claim, settle, mail, getDelivery, withPass, clock } = await openMailing();
        const owners = [await withPass(), await withPass(), await withPass()];
        const existingMessage = new Map<string, MessageDelivery>();
        const jobs: MailJob[] = [];
        let addresses = 0;
        for (const each of steps) {
          try {
            if (each.kind === "notify") {
              const delivery = await acme.passes.notify(owners[each.of]?.pass.id ?? "");
              existingMessage.set(delivery.id, delivery);
            } else if (each.kind === "claim") {
              const claimedJobs = await claim(each.limit);
              expect(claimedJobs.length).toBeLessThanOrEqual(each.limit);
              for (const { delivery } of claimedJobs) expect(delivery.status).toBe("SENDING");
              jobs.push(...claimedJobs);
            } else if (each.kind === "settle") {
              const job = jobs[each.of];
              if (job !== undefined) await settle(job, each.result);
            } else if (each.kind === "bounce") {
              const id = [...existingMessage.keys()][each.of];
              if (id !== undefined) await acme.messageDeliveries.bounce(id, { kind: each.as });
            } else if (each.kind === "change") {
              addresses += 1;
              const email = `changed-${addresses}@example.com`;
              await acme.users.update(owners[each.of]?.user.id ?? "", { email });
            } else if (each.kind === "revoke") {
              await acme.passes.delete(owners[each.of]?.pass.id ?? "");
            } else {
              clock.move(each.ms);
            }
          } catch (error) {
            if (!isLoyaltyError(error) || error.status >= 422) throw error;
          }
          for (const [id, before] of existingMessage) {
            const after = await getDelivery(id);
            existingMessage.set(id, after);
            expect(next[before.status], `${before.status} to ${after.status}`).toContain(after.status);
            const hasReason = after.status === "SKIPPED" || after.status === "FAILED";
            expect(after.reason !== null).toBe(hasReason);
            expect(after.nextAttemptAt !== null).toBe(after.status === "PENDING");
            expect(after.attempts.length).toBeLessThanOrEqual(10);
            if (before.isUncertain) expect(after.isUncertain).toBe(true);
            if (after.status === before.status && hasReason) expect(after.reason).toBe(before.reason);
          }
        }
        // In the end no delivery is in progress, and each is counted once.
        clock.move(50 * 60 * MINUTE);
        expect(await claim(100)).toEqual([]);
        const endedMessage = await Promise.all([...existingMessage.keys()].map(getDelivery));
        for (const { status } of endedMessage) expect(["ACCEPTED", "SKIPPED", "FAILED"]).toContain(status);
        expect(await mail.queuesWithDueJobs(10)).toEqual([]);
        expect(endedMessage).toHaveLength(existingMessage.size);
      }),
      { numRuns: 60 },
    );
  });
});
