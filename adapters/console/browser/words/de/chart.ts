import type * as english from "../en/chart.js";
import type { Translated } from "../translated.js";
import { numberText } from "./forms.js";

export const chart: Translated<typeof english.chart> = {
  highest: (value) => `höchstens ${numberText(value)}`,
  byDay: (title) => `${title} nach Tagen`,
};
