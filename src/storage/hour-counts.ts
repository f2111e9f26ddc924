import { integer, type ValuesOf } from "./record.js";

/**
 * The columns with the number of visits in each hour of a day, in the organization's time zone. Several stamps added at the same
 * time count as one visit.
 */
export const hourColumns = {
  visitsAt0: integer(),
  visitsAt1: integer(),
  visitsAt2: integer(),
  visitsAt3: integer(),
  visitsAt4: integer(),
  visitsAt5: integer(),
  visitsAt6: integer(),
  visitsAt7: integer(),
  visitsAt8: integer(),
  visitsAt9: integer(),
  visitsAt10: integer(),
  visitsAt11: integer(),
  visitsAt12: integer(),
  visitsAt13: integer(),
  visitsAt14: integer(),
  visitsAt15: integer(),
  visitsAt16: integer(),
  visitsAt17: integer(),
  visitsAt18: integer(),
  visitsAt19: integer(),
  visitsAt20: integer(),
  visitsAt21: integer(),
  visitsAt22: integer(),
  visitsAt23: integer(),
};

export type HourCounts = ValuesOf<typeof hourColumns>;

/** The column names, in order of the hours from 0 to 23. */
export const hourNames = Object.keys(hourColumns) as readonly (keyof HourCounts)[];
