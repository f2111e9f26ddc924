import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttemptSummary,
  evaluateHealth,
  isSuccess,
  RETRY_DELAYS_MS,
  scheduleNextAttempt,
} from "../../src/webhooks/delivery-schedule.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const NOW = Date.UTC(2026, 0, 1);

function createAttempt(attempt: Partial<AttemptSummary> = {}): AttemptSummary {
  return { number: 1, endedAt: NOW, duration: 5, status: 500, retryAfter: null, ...attempt };
}

/** Returns the health of an endpoint after attempts, without whether it is slow. */
function failureAfter(failingSince: number | null, attempts: readonly AttemptSummary[]) {
  const { slowSince: _, ...health } = evaluateHealth({ failingSince, slowSince: null }, attempts);
  return health;
}

const number = fc.integer({ min: 1, max: 9 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failing = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 100, max: 599 }).filter((status) => (status < 200 || status > 299) && status !== 410),
);
const succeeding = fc.integer({ min: 200, max: 299 });

/** Returns the wait after a failure, in milliseconds. */
function getWait(attempt: Partial<AttemptSummary>, source = 0.5): number {
  return (scheduleNextAttempt(createAttempt(attempt), () => source).nextAttemptAt ?? Number.NaN) - NOW;
}

describe("a delivery", () => {
  it("is delivered with any 2xx, at any attempt", () => {
    fc.assert(
      fc.property(succeeding, fc.integer({ min: 1, max: 10 }), (status, number) => {
        expect(scheduleNextAttempt(createAttempt({ status, number }), Math.random)).toEqual({
          status: "delivered",
          nextAttemptAt: null,
        });
      }),
    );
  });

  it("is retried after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h", () => {
    const waits = Array.from({ length: 9 }, (_, at) => getWait({ number: at + 1 }));
    expect(waits).toEqual([
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
    ]);
  });

  it("is retried at most a tenth earlier or later, spread evenly", () => {
    fc.assert(
      fc.property(number, failing, random, (number, status, source) => {
        const delay = RETRY_DELAYS_MS[number - 1] ?? Number.NaN;
        expect(getWait({ number, status }, source)).toBe(Math.round(delay * (0.9 + 0.2 * source)));
      }),
    );
  });

  it("has failed after ten failures", () => {
    fc.assert(
      fc.property(failing, fc.nat(10 * DAY), (status, retryAfter) => {
        const last = scheduleNextAttempt(createAttempt({ number: 10, status, retryAfter }), Math.random);
        expect(last).toEqual({ status: "failed", nextAttemptAt: null });
      }),
    );
  });

  it("fails immediately with 410", () => {
    const nextState = scheduleNextAttempt(createAttempt({ status: 410, retryAfter: 5 }), Math.random);
    expect(nextState).toEqual({ status: "failed", nextAttemptAt: null });
  });

  it("waits as long as Retry-After asks if that is longer, but at most 24 hours for it", () => {
    expect(getWait({ retryAfter: MINUTE })).toBe(MINUTE);
    expect(getWait({ retryAfter: SECOND })).toBe(5 * SECOND);
    expect(getWait({ retryAfter: 0 })).toBe(5 * SECOND);
    expect(getWait({ retryAfter: 300 * DAY })).toBe(DAY);
    fc.assert(
      fc.property(number, random, fc.nat(2 * DAY), (number, source, retryAfter) => {
        const unasked = getWait({ number }, source);
        expect(getWait({ number, retryAfter }, source)).toBe(Math.max(unasked, Math.min(retryAfter, DAY)));
      }),
    );
  });

  it("counts the wait from the end of the attempt", () => {
    const endedAt = NOW + 15 * SECOND;
    expect(scheduleNextAttempt(createAttempt({ endedAt }), () => 0.5).nextAttemptAt).toBe(
      endedAt + 5 * SECOND,
    );
  });
});

describe("an endpoint", () => {
  const history = fc
    .array(fc.record({ status: fc.oneof(failing, succeeding), after: fc.nat(3 * DAY) }), { maxLength: 20 })
    .map((steps) => {
      let endedAt = NOW;
      return steps.map(({ status, after }) => {
        endedAt += after;
        return createAttempt({ status, endedAt });
      });
    });

  it("has been failing since the first failure that no success has followed", () => {
    const [first, second] = [createAttempt(), createAttempt({ endedAt: NOW + HOUR })];
    expect(failureAfter(null, [first, second])).toEqual({ failingSince: NOW, disabledReason: null });
    expect(failureAfter(NOW - HOUR, [first])).toEqual({ failingSince: NOW - HOUR, disabledReason: null });
    const success = createAttempt({ status: 204 });
    expect(failureAfter(NOW - HOUR, [success])).toEqual({ failingSince: null, disabledReason: null });
    expect(failureAfter(NOW - HOUR, [success, second])).toEqual({
      failingSince: NOW + HOUR,
      disabledReason: null,
    });
    expect(failureAfter(NOW - HOUR, [])).toEqual({ failingSince: NOW - HOUR, disabledReason: null });
  });

  it("is slow from the first attempt over a second until the next one that is faster", () => {
    const getSlowSince = (slowSince: number | null, ...durations: number[]) =>
      evaluateHealth(
        { failingSince: null, slowSince },
        durations.map((duration, at) => createAttempt({ status: 200, duration, endedAt: NOW + at })),
      ).slowSince;
    expect(getSlowSince(null, 1_000)).toBeNull();
    expect(getSlowSince(null, 5, 1_001, 2_000)).toBe(NOW + 1);
    expect(getSlowSince(NOW - 1, 1_001)).toBe(NOW - 1);
    expect(getSlowSince(NOW - 1, 1_001, 5)).toBeNull();
  });

  it("is disabled immediately by 410", () => {
    const goneAttempt = createAttempt({ status: 410 });
    expect(failureAfter(null, [goneAttempt]).disabledReason).toBe("gone");
    expect(failureAfter(null, [goneAttempt, createAttempt({ status: 200 })]).disabledReason).toBe("gone");
  });

  it("is disabled by a failure after five days of only failures, and no sooner", () => {
    const getDisabledReason = (endedAt: number) =>
      failureAfter(NOW, [createAttempt({ endedAt })]).disabledReason;
    expect(getDisabledReason(NOW + 5 * DAY - 1)).toBeNull();
    expect(getDisabledReason(NOW + 5 * DAY)).toBe("failing");
  });

  it("is disabled as soon as there is a reason, regardless of how its attempts are grouped", () => {
    fc.assert(
      fc.property(history, fc.nat(20), (attempts, split) => {
        const whole = failureAfter(null, attempts);
        const first = failureAfter(null, attempts.slice(0, split));
        const inTwo =
          first.disabledReason === null ? failureAfter(first.failingSince, attempts.slice(split)) : first;
        expect(inTwo).toEqual(whole);
        const lastSuccess = attempts.findLastIndex(isSuccess);
        if (whole.disabledReason === null) {
          expect(whole.failingSince).toBe(attempts[lastSuccess + 1]?.endedAt ?? null);
        }
      }),
    );
  });
});
