import { dayIn, offsetIn } from "../base/values/calendar-days.js";
import { DAY_MS } from "../base/values/clock.js";

/** An instant as calendars and clocks of a time zone show it. */
export interface LocalTime {
  /** The calendar day, in days since the Unix epoch. */
  readonly day: number;
  /** The time that clocks show, in milliseconds since midnight. */
  readonly time: number;
}

export function readLocalTime(timeZone: string, at: number): LocalTime {
  const localMs = at + offsetIn(timeZone, at);
  return { day: dayIn(timeZone, at), time: localMs - Math.floor(localMs / DAY_MS) * DAY_MS };
}
