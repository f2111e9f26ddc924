import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCard } from "../../adapters/apps/csv/cards.js";
import { CellError } from "../../adapters/apps/csv/cells.js";
import { parseHeader, parseUser, recordFault } from "../../adapters/apps/csv/columns.js";
import { parseConsent } from "../../adapters/apps/csv/consents.js";
import { type DayOrder, dayOrders, needsOrder } from "../../adapters/apps/csv/dates.js";
import { dayOrTime } from "../../src/base/fields/instant.js";
import { runs } from "../properties/runs.js";

const columns = ["email", "name", "externalId", "tags", "metadata.city", "code"].map(parseHeader);

const blanks = fc
  .array(
    fc.constantFrom(..." \t\r\n\u00A0\u2007\u3000\u00AD\u200B\u200E\u202C\u2060\uFEFF\u3164\u0000\u0085"),
    { maxLength: 4 },
  )
  .map((characters) => characters.join(""));

const words = fc.constantFrom(
  "Ada",
  "Ada Lovelace",
  "'=1",
  "Ŭ\u200Bx",
  "a\u00A0b",
  "👩‍👩‍👧",
  "🏴\u{E0067}\u{E0062}\u{E007F}",
  "❤\uFE0F",
);

describe("a cell", () => {
  it("is read without surrounding blank characters, and unchanged inside", () => {
    fc.assert(
      fc.property(words, blanks, blanks, (word, before, after) => {
        const text = word.replace(/^'/, "");
        const { user, others } = parseUser(
          columns,
          ["a@b.de", word, word, `x;${word}`, word, word].map((cell) => `${before}${cell}${after}`),
        );
        expect(user).toEqual({
          ...{ email: "a@b.de", name: text, externalId: text },
          ...{ tags: ["x", text], metadata: { city: text } },
        });
        expect(others.get("code")).toBe(text);
      }),
      runs(300),
    );
  });

  it("with only blank characters counts as missing", () => {
    const { user, others } = parseUser(columns, ["a@b.de", "\u200B", " ", "\u00A0; ", "\t", "\uFEFF"]);
    expect(user).toEqual({ email: "a@b.de", tags: [] });
    expect(others.size).toBe(0);
  });

  it.each(["4,00638E+12", "4.00638E+12", "4E+12", "-1,5e-05", "4006,4E+9", " 1,23457E+15\u00A0"])(
    "with a number rounded by a spreadsheet (%s) is refused in each column",
    (rounding) => {
      for (const at of columns.keys()) {
        const cells = columns.map((_, nth) => (nth === at ? rounding : ""));
        expect(() => parseUser(columns, cells)).toThrow("a number that a spreadsheet rounded");
      }
    },
  );

  it.each(["####", "#N/A", "#NAME?", "#REF!", "#WERT!", "#DIV/0!"])(
    "with the spreadsheet error %s instead of a value is refused",
    (error) => {
      expect(() => parseUser(columns, ["a@b.de", error])).toThrow("instead of a value");
    },
  );

  it.each(["1E10", "E+12", "4,00638E+", "Apt 4E+12", "#1", "#VIP!", "4006381333931", "##"])(
    "with %s is read as it is",
    (text) => {
      expect(parseUser(columns, ["a@b.de", text]).user.name).toBe(text);
    },
  );
});

describe("a record", () => {
  const headers = ["email", "", "name"].map(parseHeader);

  it("may have empty cells after its last column and under empty headers", () => {
    expect(recordFault(headers, ["a@b.de", " ", "Ada", "", "\u00A0"], false)).toBeNull();
  });

  it("is refused if it has text under an empty header, unless that is ignored", () => {
    expect(recordFault(headers, ["a@b.de", "x", "Ada"], false)).toEqual({ code: "no_header", text: "x" });
    expect(recordFault(headers, ["a@b.de", "x", "Ada"], true)).toBeNull();
    const fault = { code: "miscounted", columns: 3 };
    expect(recordFault(headers, ["a@b.de", "", "Ada", "x"], true)).toEqual({ ...fault, fields: 4 });
    expect(recordFault(headers, ["a@b.de", ""], true)).toEqual({ ...fault, fields: 2 });
  });
});

/** Parses the time in a cell. @returns the time or the error. */
function parseTime(text: string, order: DayOrder | null): string | undefined {
  const parseConsentTime = () =>
    parseConsent((column) => (column === "consentAt" ? text : undefined), order).consentAt;
  const parseCardTime = () =>
    parseCard(
      (column) => (column === "lastStampAt" ? text : undefined),
      () => "tpl",
      order,
    ).lastStampAt;
  const [one, other] = [parseConsentTime, parseCardTime].map((parse) => {
    try {
      return parse();
    } catch (error) {
      if (error instanceof CellError) return error.fault?.code;
      throw error;
    }
  });
  expect(other).toBe(one);
  return one;
}

const days = fc.date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
const orders = fc.constantFrom(null, ...dayOrders);

describe("a date", () => {
  it("or time in a cell is valid exactly when the API accepts it", () => {
    const twoDigits = fc.constantFrom(
      "00",
      "01",
      "02",
      "12",
      "13",
      "23",
      "24",
      "28",
      "29",
      "30",
      "31",
      "59",
      "60",
    );
    const years = fc.constantFrom("0099", "1900", "2024", "2025");
    const seconds = fc.constantFrom("", ":00", ":59.5", ":60", ":00,5", ":59.123456789");
    const zones = fc.constantFrom(
      "",
      "Z",
      "z",
      "+00:00",
      "-00:00",
      "+14:00",
      "-12:00",
      "+24:00",
      "+0200",
      "+02",
    );
    const times = fc.tuple(
      fc.constantFrom("T", " ", "t"),
      twoDigits,
      fc.constant(":"),
      twoDigits,
      seconds,
      zones,
    );
    const time = fc.option(times).map((parts) => parts?.join("") ?? "");
    fc.assert(
      fc.property(years, twoDigits, twoDigits, time, (year, month, day, time) => {
        const text = `${year}-${month}-${day}${time}`;
        const isTime = dayOrTime.safeParse(text).success;
        expect(parseTime(text, null)).toBe(isTime ? text : "no_time");
      }),
      runs(200),
    );
  });

  it("is either read as the day that was written or refused, in any notation", () => {
    fc.assert(
      fc.property(days, orders, fc.boolean(), (date, order, isPadded) => {
        const iso = date.toISOString().slice(0, 10);
        const [year = "", month = "", day = ""] = iso.split("-");
        const shorten = (part: string) => (isPadded ? part : part.replace(/^0/, ""));
        const joinParts = (sign: string, ...parts: string[]) => parts.map(shorten).join(sign);
        for (const text of [
          iso,
          joinParts("-", year, month, day),
          joinParts("/", year, month, day),
          joinParts(".", day, month, year),
        ])
          expect(parseTime(text, order)).toBe(iso);
        for (const sign of ["/", "-"]) {
          const dayFirst = parseTime(joinParts(sign, day, month, year), order);
          const monthFirst = parseTime(joinParts(sign, month, day, year), order);
          if (order === "day-first") expect(dayFirst).toBe(iso);
          if (order === "month-first") expect(monthFirst).toBe(iso);
          if (order !== null) continue;
          const code = Number(day) > 12 || day === month ? iso : "day_order_unknown";
          expect([dayFirst, monthFirst]).toEqual([code, code]);
          expect(needsOrder(joinParts(sign, day, month, year))).toBe(code !== iso);
        }
      }),
      runs(500),
    );
  });

  it.each(["2025-03-01T10:00Z", "2025-03-01T10:00:30.5+01:00"])("may have a time with a zone: %s", (text) => {
    expect(parseTime(text, null)).toBe(text);
  });

  it.each([
    "5",
    "45678",
    "1/2/25",
    "2025-02-30",
    "31/02/2025",
    "2025-13-01",
    "lately",
    "2025-03-01 10:00",
    "2025-03-01T10:00",
    "1/2/2025 10:00",
    "1/2-2025",
    "2025-03-01T25:00Z",
    "13.13.2025",
  ])("can't be %s", (text) => {
    for (const order of [null, ...dayOrders]) expect(parseTime(text, order)).toBe("no_time");
  });

  it("in a different order than the given one is refused", () => {
    expect(parseTime("31/01/2025", "month-first")).toBe("no_time");
    expect(parseTime("01/31/2025", "day-first")).toBe("no_time");
  });
});
