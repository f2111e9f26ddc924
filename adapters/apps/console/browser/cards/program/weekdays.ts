import { DAY_MS } from "../../../../../../src/base/values/clock.js";
import { locale } from "../../words/en/forms.js";

/** The weekdays as programs number them: 1 is Monday. */
export const weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 7];

const shortDay = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

/** Returns a day with this weekday, in days since the Unix epoch. The first Monday was day 4. */
export const findDay = (weekday: number) => weekday + 3;

export const formatShortWeekday = (weekday: number) => shortDay.format(findDay(weekday) * DAY_MS);

export const formatWeekday = (weekday: number) => longDay.format(findDay(weekday) * DAY_MS);
