import { countText } from "./forms.js";

/** UI text for live activity and for the chart of visits by weekday and hour. */
export const visits = {
  happening: "Happening now",
  nothingYet: "Activity at the till and on customers’ phones appears here.",
  by: (who: string) => `· ${who}`,
  title: "When customers visit",
  none: (weeks: number) =>
    `Once you start adding stamps, this shows your busiest hours in the last ${weeks} weeks.`,
  most: (weeks: number) => `Busiest in the last ${weeks} weeks:`,
  inHour: (weekday: string, hour: number, count: number) =>
    `${weekday}, ${hour}:00 to ${hour + 1}:00, ${countText(count, "visit")}`,
  table: "Visits by weekday and hour",
  weekday: "Weekday",
};
