import { numberText } from "./forms.js";

/** All words of a chart. */
export const chart = {
  highest: (value: number) => `highest ${numberText(value)}`,
  byDay: (title: string) => `${title} by day`,
};
