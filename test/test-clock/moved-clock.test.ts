import fc from "fast-check";
import { testLoyalty } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { addDuration } from "../../adapters/testing/test-clock/duration.js";
import { ManualClock } from "../../adapters/testing/test-clock/manual-clock.js";
import type { DueWork } from "../../adapters/testing/test-clock/next-due-time.js";

const at = "2026-03-20T09:00";
const timeZone = "Europe/Vienna";

/** Captures a cafe's mails and webhooks while twelve days, in which summer time begins, pass in these steps. */
async function captureMails(hours: readonly number[]) {
  await using test = await testLoyalty({ at, timeZone });
  const cafe = await test.organization();
  const { automations, messageSettings, segments } = cafe.organization;
  await messageSettings.update({ quietHours: { from: "21:00", to: "08:00" } });
  const createMail = (subject: string) => ({
    message: { channels: ["email" as const], texts: [{ language: "en", subject, text: subject }] },
  });
  const filter = { operator: "AND", conditions: [{ lastVisit: { beforeDays: 5 } }] } as const;
  const { slug } = await segments.create({ name: "Away", filter, emitsEvents: true });
  await automations.create({ name: "Away", on: { segmentEntered: slug }, do: [createMail("We miss you")] });
  const birthday = { metadata: ["birthday"], daysBefore: 2, at: "22:30" };
  await automations.create({ name: "Birthday", on: { date: birthday }, do: [createMail("Soon")] });
  await cafe.webhook({ answers: [500, 500, 500, 200, 500, 200] });
  await cafe.customer({ stamps: 3, isSubscribed: true, metadata: { birthday: "1990-03-31" } });
  for (const each of hours) await test.advance(`${each}h`);
  await test.advanceTo("2026-04-01T09:00");
  return {
    mails: test.mails.map(({ subject, date }) => `${date.toISOString()} ${subject}`),
    webhooks: test.webhooks.map(({ event, status, at }) => `${at.toISOString()} ${event.type} ${status}`),
  };
}

describe("a moved clock", () => {
  it("does the same at the same times, however many steps it takes", async () => {
    const atOnce = await captureMails([]);
    expect(atOnce.mails).toEqual(["2026-03-26T07:00:00.000Z We miss you", "2026-03-30T06:00:00.000Z Soon"]);
    expect(atOnce.webhooks.length).toBeGreaterThan(10);
    const steps = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 4 });
    const isSame = fc.asyncProperty(steps, async (hours) => {
      expect(await captureMails(hours)).toEqual(atOnce);
    });
    await fc.assert(isSame, { numRuns: 5 });
  });

  it("moves forward by any number of calendar days, close to that many times 24 hours", () => {
    const zones = ["UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"];
    const instant = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2030, 0, 1) });
    const days = fc.integer({ min: 0, max: 400 });
    const isLater = fc.property(instant, days, fc.constantFrom(...zones), (from, count, zone) => {
      const to = addDuration(from, `${count}d`, zone);
      // Apia skipped a whole day in 2011, and summer time may have begun since.
      expect(Math.abs(to - from - count * 86_400_000)).toBeLessThanOrEqual(25 * 3_600_000);
      expect(count === 0 ? to === from : to > from).toBe(true);
    });
    const toLeftOutDay: [number, number, string] = [Date.UTC(2011, 4, 18, 10, 0, 0, 1), 227, "Pacific/Apia"];
    fc.assert(isLater, { numRuns: 200, examples: [toLeftOutDay] });
  });

  it("gives up when due work never ends", async () => {
    const endless: DueWork = { count: async () => 1, runDue: async () => {} };
    const clock = new ManualClock(0, { next: async (after) => after + 1 }, [endless], async () => {});
    await expect(clock.moveTo(0)).rejects.toThrow("work is still due after 100 rounds");
    const idle = new ManualClock(0, { next: async (after) => after + 1 }, [], async () => {});
    await expect(idle.moveTo(200_000)).rejects.toThrow("more than 100000 due times were reached");
  });
});
