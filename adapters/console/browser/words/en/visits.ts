import { countText } from "./forms.js";

/** The words for what happens now, and for when customers come. */
export const visits = {
  happening: "Happening now",
  nothingYet: "What happens at the till and on customers’ phones appears here by itself.",
  by: (who: string) => `by ${who}`,
  title: "When customers come",
  none: (weeks: number) => `Stamps fill this in by themselves, with the hours of the last ${weeks} weeks.`,
  most: (weeks: number) => `Most in ${weeks} weeks:`,
  inHour: (weekday: string, hour: number, count: number) =>
    `${weekday}, ${hour}:00 to ${hour + 1}:00, ${countText(count, "visit")}`,
  table: "Visits by weekday and hour",
  weekday: "Weekday",
};
