import { describe, expect, it } from "vitest";
import {
  canonicalTimeZone,
  dayIn,
  startOfDay,
  startOfDayBefore,
  timeOnDay,
} from "../../src/base/values/calendar-days.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const toDay = (date: string) => Date.parse(date) / DAY_MS;
const getStart = (zone: string, date: string) => new Date(startOfDay(zone, toDay(date))).toISOString();
const getDate = (zone: string, at: string) =>
  new Date(dayIn(zone, Date.parse(at)) * DAY_MS).toISOString().slice(0, 10);

/** Zones with the first and the last date of the tested period, in which their clocks change. */
const walked = [
  ["Europe/Vienna", "2025-12-25", "2027-01-05"],
  ["America/Sao_Paulo", "2018-01-01", "2019-03-01"],
  ["Asia/Kolkata", "2026-01-01", "2026-03-01"],
  ["Pacific/Apia", "2011-06-01", "2012-06-01"],
  ["America/Havana", "2025-12-25", "2027-01-05"],
  ["Asia/Beirut", "2021-01-01", "2022-01-05"],
  ["Africa/Casablanca", "2026-01-01", "2027-01-05"],
  ["Australia/Lord_Howe", "2026-01-01", "2027-01-05"],
  ["America/St_Johns", "2009-01-01", "2010-01-05"],
  ["Asia/Kathmandu", "1985-12-01", "1986-02-01"],
] as const;

/**
 * Finds the instants when dates begin, without offsets: reads the date that a calendar shows hour by hour, and where it
 * is later than ever before, minute by minute.
 */
function listBeginnings(zone: string, from: string, to: string): Map<number, number> {
  const calendar = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  const getShownDay = (at: number) => toDay(calendar.format(at));
  const found = new Map<number, number>();
  let latest = getShownDay(Date.parse(from));
  for (let hour = Date.parse(from); hour < Date.parse(to); hour += HOUR_MS) {
    // The clocks of St. John's go back over midnight within a minute after it.
    if ([60, 30, 2, 1].every((minutes) => getShownDay(hour + minutes * 60_000) <= latest)) continue;
    for (let at = hour; at <= hour + HOUR_MS; at += 60_000) {
      const day = getShownDay(at);
      if (day <= latest) continue;
      for (let each = latest + 1; each <= day; each += 1) found.set(each, at);
      latest = day;
    }
  }
  return found;
}

describe.each(walked)("days in %s, from %s to %s", (zone, from, to) => {
  const starts = listBeginnings(zone, from, to);

  it("begin when the calendar first shows their date, or a later one", () => {
    expect(starts.size).toBeGreaterThan(40);
    for (const [day, at] of starts) expect(startOfDay(zone, day), String(day)).toBe(at);
  });

  it("include each of their instants until the next one begins", () => {
    for (const [day, at] of starts) {
      const next = starts.get(day + 1);
      if (next === undefined || next === at) continue;
      for (const instant of [at, at + 1, Math.floor((at + next) / 2), next - 1]) {
        expect(dayIn(zone, instant)).toBe(day);
      }
      for (const hour of [1, 2, 22, 23, 24]) {
        const instant = at + hour * HOUR_MS - 1;
        if (instant < next) expect(dayIn(zone, instant)).toBe(day);
      }
    }
  });

  it("can be counted back by date", () => {
    const days = [...starts.keys()];
    for (const [at, day] of days.entries()) {
      const start = starts.get(day) ?? Number.NaN;
      if (start === starts.get(day + 1)) continue;
      for (const back of [0, 1, 7, 40]) {
        if (at < back) continue;
        expect(startOfDayBefore(zone, start + 1, back)).toBe(starts.get(day - back));
      }
    }
  });
});

describe("a day", () => {
  it("without midnight begins when clocks go forward", () => {
    expect(getStart("America/Sao_Paulo", "2018-11-04")).toBe("2018-11-04T03:00:00.000Z");
    expect(getDate("America/Sao_Paulo", "2018-11-04T02:59:59.999Z")).toBe("2018-11-03");
    expect(getStart("Asia/Beirut", "2021-03-28")).toBe("2021-03-27T22:00:00.000Z");
    expect(getStart("Asia/Beirut", "2021-03-29")).toBe("2021-03-28T21:00:00.000Z");
  });

  it("that never existed begins with the next one, and has no instants", () => {
    expect(getStart("Pacific/Apia", "2011-12-29")).toBe("2011-12-29T10:00:00.000Z");
    expect(getStart("Pacific/Apia", "2011-12-30")).toBe("2011-12-30T10:00:00.000Z");
    expect(getStart("Pacific/Apia", "2011-12-31")).toBe("2011-12-30T10:00:00.000Z");
    expect(getDate("Pacific/Apia", "2011-12-30T09:59:59.999Z")).toBe("2011-12-29");
    expect(getDate("Pacific/Apia", "2011-12-30T10:00:00.000Z")).toBe("2011-12-31");
    const later = Date.parse("2011-12-31T12:00:00Z");
    expect(getDate("Pacific/Apia", "2011-12-31T12:00:00Z")).toBe("2012-01-01");
    expect(new Date(startOfDayBefore("Pacific/Apia", later, 3)).toISOString()).toBe(
      "2011-12-29T10:00:00.000Z",
    );
  });

  it("whose midnight occurs twice begins once, at the first one", () => {
    expect(getStart("America/Havana", "2026-11-01")).toBe("2026-11-01T04:00:00.000Z");
    expect(getDate("America/Havana", "2026-11-01T05:00:00Z")).toBe("2026-11-01");
  });

  it("that has begun continues when clocks go back to the previous date", () => {
    expect(getStart("America/St_Johns", "2009-11-01")).toBe("2009-11-01T02:30:00.000Z");
    expect(getDate("America/St_Johns", "2009-11-01T02:30:30Z")).toBe("2009-11-01");
    expect(getDate("America/St_Johns", "2009-11-01T02:45:00Z")).toBe("2009-11-01");
  });

  it("is a day of UTC if the zone is unknown", () => {
    expect(getDate("Mars/Olympus", "2026-03-01T23:59:59.999Z")).toBe("2026-03-01");
    expect(getDate("UTC", "1969-12-31T23:59:59.999Z")).toBe("1969-12-31");
  });
});

describe("days of many zones", () => {
  it("are right when more zones are requested than a process caches", () => {
    const noon = Date.parse("2026-06-15T12:00:00Z");
    const invented = Array.from({ length: 1_100 }, (_, at) => `Mars/Crater-${at}`);
    const zones = [...Intl.supportedValuesOf("timeZone"), ...invented];
    const listDays = () => zones.map((zone) => dayIn(zone, noon));
    const first = listDays();
    expect(listDays()).toEqual(first);
    const formatNoon = (zone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(noon);
    for (const zone of ["Europe/Vienna", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      expect(dayIn(zone, noon)).toBe(toDay(formatNoon(zone)));
    }
    expect(new Set(first.slice(-1_100))).toEqual(new Set([toDay("2026-06-15")]));
  });
});

describe("the name of a time zone", () => {
  it.each([
    ["Europe/Vienna", "Europe/Vienna"],
    ["europe/VIENNA", "Europe/Vienna"],
    ["utc", "UTC"],
    ["Etc/GMT+5", "Etc/GMT+5"],
  ])("%s is %s", (input, name) => expect(canonicalTimeZone(input)).toBe(name));

  it.each(["+02:00", "-0530", "+00", "", " ", "Vienna", "Europe/Vienna ", "Mars/Olympus", "UTC\0"])(
    "is not %j",
    (input) => expect(canonicalTimeZone(input)).toBeNull(),
  );

  it("stays the same once it is canonical, for each zone of Intl", () => {
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      const name = canonicalTimeZone(zone) ?? "";
      expect(canonicalTimeZone(name), zone).toBe(name);
    }
  });
});

describe("a time of day", () => {
  const formatTime = (zone: string, date: string, time: string) => {
    const [hours = 0, minutes = 0] = time.split(":").map(Number);
    return new Date(timeOnDay(zone, toDay(date), (hours * 60 + minutes) * 60_000)).toISOString();
  };

  it("is the instant when clocks of the zone show it", () => {
    expect(formatTime("UTC", "2026-05-04", "09:30")).toBe("2026-05-04T09:30:00.000Z");
    expect(formatTime("Europe/Vienna", "2026-01-15", "09:00")).toBe("2026-01-15T08:00:00.000Z");
    expect(formatTime("Europe/Vienna", "2026-07-15", "09:00")).toBe("2026-07-15T07:00:00.000Z");
    expect(formatTime("Pacific/Kiritimati", "2026-07-15", "00:00")).toBe("2026-07-14T10:00:00.000Z");
  });

  it("that clocks skip is the instant when they have skipped it", () => {
    expect(formatTime("Europe/Vienna", "2026-03-29", "02:30")).toBe("2026-03-29T01:00:00.000Z");
    expect(formatTime("Europe/Vienna", "2026-03-29", "01:59")).toBe("2026-03-29T00:59:00.000Z");
    expect(formatTime("Europe/Vienna", "2026-03-29", "03:00")).toBe("2026-03-29T01:00:00.000Z");
  });

  it("that occurs twice is the first instant", () => {
    expect(formatTime("Europe/Vienna", "2026-10-25", "02:30")).toBe("2026-10-25T00:30:00.000Z");
    expect(formatTime("Europe/Vienna", "2026-10-25", "03:00")).toBe("2026-10-25T02:00:00.000Z");
  });
});
