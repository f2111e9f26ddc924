import fc from "fast-check";
import { expect, it } from "vitest";
import {
  applyDeliveryChange,
  type CountedDelivery,
  countSkip,
  createInitialSums,
  type DeliverySums,
  isComplete,
} from "../../../src/messages/message-sums.js";

const sumOf = ({ pending, sending, accepted, failed, skipped }: DeliverySums) =>
  pending + sending + accepted + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0);

const createState = (
  status: CountedDelivery["status"],
  reason: CountedDelivery["reason"] = null,
  isUncertain = false,
): CountedDelivery => ({ status, reason, isUncertain });

const delivery: fc.Arbitrary<CountedDelivery> = fc
  .tuple(
    fc.constantFrom("PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED"),
    fc.constantFrom("customer_deleted", "canceled", "expired", "gave_up", "bounced"),
    fc.boolean(),
  )
  .map(([status, reason, isUncertain]) =>
    createState(status, status === "SKIPPED" || status === "FAILED" ? reason : null, isUncertain),
  );

/** Pairs of a delivery's number and its next state; `null` skips a delivery that was not created. */
const changes = fc.array(fc.tuple(fc.nat(9), fc.option(delivery)), { maxLength: 60 });

it("sums of a message add up to its recipients after any history, and match the numbers of its deliveries", () => {
  fc.assert(
    fc.property(changes, (history) => {
      const rows = new Map<number, CountedDelivery>();
      let sums = createInitialSums(10);
      let unmade = 0;
      for (const [at, after] of history) {
        if (after === null && !rows.has(at) && rows.size + unmade < 10) {
          sums = countSkip(sums, "customer_deleted", 1);
          unmade += 1;
        } else if (after !== null && (rows.has(at) || rows.size + unmade < 10)) {
          sums = applyDeliveryChange(sums, rows.get(at) ?? null, after);
          rows.set(at, after);
        }
        expect(sumOf(sums)).toBe(sums.recipients);
        const count = (status: string) => [...rows.values()].filter((row) => row.status === status).length;
        expect(sums.pending).toBe(count("PENDING") + 10 - rows.size - unmade);
        expect(sums.sending).toBe(count("SENDING"));
        expect(sums.accepted).toBe(count("ACCEPTED"));
        expect(sums.failed).toBe(count("FAILED"));
        expect(sums.uncertain).toBe([...rows.values()].filter(({ isUncertain }) => isUncertain).length);
        expect(Object.values(sums.skipped).every((number) => number > 0)).toBe(true);
        expect(isComplete(sums)).toBe(sums.pending + sums.sending === 0);
      }
    }),
  );
});

it("creating a pending delivery changes no sum, and a later bounce moves one from accepted to failed", () => {
  const first = createInitialSums(2);
  expect(applyDeliveryChange(first, null, createState("PENDING"))).toEqual(first);
  const accepted = applyDeliveryChange(first, createState("SENDING"), createState("ACCEPTED"));
  const sums = applyDeliveryChange(
    applyDeliveryChange(first, null, createState("SENDING")),
    createState("SENDING"),
    createState("ACCEPTED"),
  );
  expect(accepted).toMatchObject({ accepted: 1 });
  expect(applyDeliveryChange(sums, createState("ACCEPTED"), createState("FAILED", "bounced"))).toMatchObject({
    ...{ recipients: 2, pending: 1, accepted: 0, failed: 1 },
  });
});
