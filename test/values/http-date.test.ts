import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { httpDate, retryAfterMs } from "../../src/base/values/http-date.js";
import { runs } from "../properties/runs.js";

const NOW = Date.parse("2026-11-28T12:00:00Z");
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Whole seconds of the years for which the two digits of RFC 850 mean this century. */
const seconds = fc.integer({ min: Date.UTC(2000, 0) / 1_000, max: Date.UTC(2049, 11, 31) / 1_000 });

/** Formats a time in each of the three forms of RFC 9110, section 5.6.7. */
function listForms(ms: number): string[] {
  const fixed = new Date(ms).toUTCString();
  const [, day = "", month = "", year = "", time = ""] = fixed.split(" ");
  const name = days[new Date(ms).getUTCDay()] ?? "";
  return [
    fixed,
    `${name}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${name.slice(0, 3)} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
  ];
}

describe("a date in a header", () => {
  it("is parsed in each of its three forms", () => {
    fc.assert(
      fc.property(seconds, (second) => {
        for (const form of listForms(second * 1_000))
          expect([form, httpDate(form)]).toEqual([form, second * 1_000]);
      }),
      runs(500),
    );
  });

  it("is invalid in any other form, even if JavaScript would find a date in it", () => {
    for (const text of [
      "",
      "0",
      "-5",
      "+5",
      "1.5",
      "3600.5",
      "120, 120",
      "2026-11-28T12:00:00Z",
      "foo 2001",
    ]) {
      expect([text, httpDate(text)]).toEqual([text, null]);
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
        expect(httpDate(text)).toBeNull();
      }),
      runs(500),
    );
  });
});

describe("a Retry-After", () => {
  it("is a number of seconds or a date, and never before now", () => {
    fc.assert(
      fc.property(fc.nat(), seconds, (wait, second) => {
        expect(retryAfterMs(String(wait), NOW)).toBe(wait * 1_000);
        for (const form of listForms(second * 1_000)) {
          expect(retryAfterMs(form, NOW)).toBe(Math.max(0, second * 1_000 - NOW));
        }
      }),
      runs(300),
    );
  });

  it("is ignored if it is neither", () => {
    for (const text of [null, undefined, "", "-5", "+5", "1.5", "1e3", "0x10", "Infinity", "5s", "5, 5"]) {
      expect([text, retryAfterMs(text, NOW)]).toEqual([text, null]);
    }
  });
});
