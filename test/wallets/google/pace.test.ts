import { createFakeGoogle } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import {
  appendNotification,
  countGoogleCalls,
  estimateGoogleMs,
  isNotificationAllowed,
} from "../../../src/wallets/google-limits.js";
import { someEmail } from "../../kit/acme.js";
import { openSending } from "../../messages/sending/sending-scene.js";

const HOUR_MS = 3_600_000;
const now = 100 * HOUR_MS;
const timesHoursAgo = (...hours: readonly number[]) => hours.map((hour) => now - hour * HOUR_MS);

describe("the pace of messages to cards at Google", () => {
  it("is one call per card, two if an older message is removed first, and none without Google", () => {
    const plain = { atGoogleSince: 1, messageId: null, notificationTimes: [] };
    expect(countGoogleCalls(plain, now)).toBe(1);
    expect(countGoogleCalls({ ...plain, messageId: "msg_1" }, now)).toBe(2);
    expect(countGoogleCalls({ ...plain, atGoogleSince: null, messageId: "msg_1" }, now)).toBe(0);
  });

  it("is one call if the message replaces an older one silently", () => {
    const card = { atGoogleSince: 1, messageId: "msg_1", notificationTimes: timesHoursAgo(3, 2, 1) };
    expect(countGoogleCalls(card, now)).toBe(1);
  });

  it("is set by the host: 83 minutes for 100,000 cards at 20 calls per second", () => {
    expect([0, 1, 21, 100_000].map((calls) => estimateGoogleMs(calls, 20))).toEqual([
      0, 50, 1_050, 5_000_000,
    ]);
    expect([0.5, 7, 1_000].map((callsPerSecond) => estimateGoogleMs(250, callsPerSecond))).toEqual([
      500_000, 35_715, 250,
    ]);
  });

  it.each([0.5, 5, 20, 1_000])("is %d calls per second in previews and slices", async (callsPerSecond) => {
    // Each slice has one customer.
    const { acme, clock, loyalty, template, draft, advance, deliveries } = await openSending({
      limits: { pendingMessageDeliveries: 4 },
    });
    const google = await createFakeGoogle();
    const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = google;
    const wallets = createWallets(loyalty, {
      publicUrl: "https://shop.example",
      google: { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl, callsPerSecond },
      deliver: false,
    });
    onTestFinished(async () => {
      await wallets.close();
      await google.close();
    });
    await acme.messageSettings.update({ walletByDefault: true });
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    for (let at = 0; at < 3; at += 1) {
      const { id: passId } = await acme.passes.create(template.id, { user: { email: someEmail() } });
      await acme.passes.walletLinks(passId);
      await backend.google.recordAtGoogle("acme", passId, 0);
      await backend.devices.register("acme", {
        ...{ passId, platform: "google", deviceId: "google", pushToken: null },
      });
    }
    const { id } = await draft({ channels: ["wallet"] });
    const { seconds } = await acme.messages.preview(id);
    expect(seconds.google).toBe(Math.ceil(3 / callsPerSecond));
    await acme.messages.send(id);
    const countDeliveries = async () => {
      await advance();
      return (await deliveries(id)).length;
    };
    const startCount = await countDeliveries();
    clock.move(1_000 / callsPerSecond - 1);
    const before = await countDeliveries();
    clock.move(1);
    expect([startCount, before, await countDeliveries()]).toEqual([1, 1, 2]);
  });
});

describe("the notifications requested from Google", () => {
  it("are at most three in any 24 hours", () => {
    expect(isNotificationAllowed([], now)).toBe(true);
    expect(isNotificationAllowed(timesHoursAgo(23, 2), now)).toBe(true);
    expect(isNotificationAllowed(timesHoursAgo(23, 2, 1), now)).toBe(false);
    expect(isNotificationAllowed(timesHoursAgo(24, 2, 1), now)).toBe(true);
  });

  it("never exceed that, even if many more are wanted", () => {
    let times: readonly number[] = [];
    const callTimes: number[] = [];
    for (let at = 0; at < 1_000; at += 1) {
      const wished = at * 1.7 * HOUR_MS;
      if (!isNotificationAllowed(times, wished)) continue;
      times = appendNotification(times, wished);
      callTimes.push(wished);
    }
    for (const [at, time] of callTimes.entries()) {
      expect(time - (callTimes[at - 3] ?? -Infinity)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    }
    expect(callTimes.length).toBeGreaterThan(200);
    expect(times).toHaveLength(3);
  });
});
