import { locale } from "../words/en/forms.js";

const percents = new Intl.NumberFormat(locale, { style: "percent" });
const changes = new Intl.NumberFormat(locale, { style: "percent", signDisplay: "exceptZero" });

/** Formats a share, such as "42%" for 0.42. */
export const percentText = (share: number): string => percents.format(share);

/** Formats a change from `before` to `now` with its sign, such as "+42%". */
export const changeText = (before: number, now: number): string => changes.format(now / before - 1);
