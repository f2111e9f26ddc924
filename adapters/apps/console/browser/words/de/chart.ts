import type * as english from "../en/chart.js";
import type { Translated } from "../translated.js";

export const chart: Translated<typeof english.chart> = {
  byDay: (title) => `${title} nach Tagen`,
};
