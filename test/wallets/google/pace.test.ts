import { describe, expect, it } from "vitest";
import { googleCalls, googleSeconds } from "../../../src/wallets/google-pace.js";
import { mayNotify, withNotice } from "../../../src/wallets/notice-budget.js";

const HOUR_MS = 3_600_000;
const now = 100 * HOUR_MS;
const hoursAgo = (...hours: readonly number[]) => hours.map((hour) => now - hour * HOUR_MS);

describe("the pace of messages to cards at Google", () => {
  it("is a call for a card, two where an older message comes off first, and none without Google", () => {
    const plain = { atGoogleSince: 1, messageId: null, notificationTimes: [] };
    expect(googleCalls(plain, now)).toBe(1);
    expect(googleCalls({ ...plain, messageId: "msg_1" }, now)).toBe(2);
    expect(googleCalls({ ...plain, atGoogleSince: null, messageId: "msg_1" }, now)).toBe(0);
  });

  it("is one call where the message takes the place of an older one silently", () => {
    const card = { atGoogleSince: 1, messageId: "msg_1", notificationTimes: hoursAgo(3, 2, 1) };
    expect(googleCalls(card, now)).toBe(1);
  });

  it("is 20 calls a second: 83 minutes for 100,000 cards", () => {
    expect([0, 1, 20, 21, 100_000].map(googleSeconds)).toEqual([0, 1, 1, 2, 5_000]);
  });
});

describe("the notifications that Google is asked for", () => {
  it("are three in any 24 hours at most", () => {
    expect(mayNotify([], now)).toBe(true);
    expect(mayNotify(hoursAgo(23, 2), now)).toBe(true);
    expect(mayNotify(hoursAgo(23, 2, 1), now)).toBe(false);
    expect(mayNotify(hoursAgo(24, 2, 1), now)).toBe(true);
  });

  it("are never more, however often one is wished for", () => {
    let times: readonly number[] = [];
    const asked: number[] = [];
    for (let at = 0; at < 1_000; at += 1) {
      const wished = at * 1.7 * HOUR_MS;
      if (!mayNotify(times, wished)) continue;
      times = withNotice(times, wished);
      asked.push(wished);
    }
    for (const [at, time] of asked.entries()) {
      expect(time - (asked[at - 3] ?? -Infinity)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    }
    expect(asked.length).toBeGreaterThan(200);
    expect(times).toHaveLength(3);
  });
});
