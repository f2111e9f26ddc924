import { integer, type ValuesOf } from "./record.js";

/**
 * Columns that hold the visit count for each hour of the day, in the organization's time zone. Several stamps added at the same
 * time count as one visit.
 */
export const hourColumns = {
  /** Number of visits from 0:00 to 0:59. */
  visitsAt0: integer(),
  /** Number of visits from 1:00 to 1:59. */
  visitsAt1: integer(),
  /** Number of visits from 2:00 to 2:59. */
  visitsAt2: integer(),
  /** Number of visits from 3:00 to 3:59. */
  visitsAt3: integer(),
  /** Number of visits from 4:00 to 4:59. */
  visitsAt4: integer(),
  /** Number of visits from 5:00 to 5:59. */
  visitsAt5: integer(),
  /** Number of visits from 6:00 to 6:59. */
  visitsAt6: integer(),
  /** Number of visits from 7:00 to 7:59. */
  visitsAt7: integer(),
  /** Number of visits from 8:00 to 8:59. */
  visitsAt8: integer(),
  /** Number of visits from 9:00 to 9:59. */
  visitsAt9: integer(),
  /** Number of visits from 10:00 to 10:59. */
  visitsAt10: integer(),
  /** Number of visits from 11:00 to 11:59. */
  visitsAt11: integer(),
  /** Number of visits from 12:00 to 12:59. */
  visitsAt12: integer(),
  /** Number of visits from 13:00 to 13:59. */
  visitsAt13: integer(),
  /** Number of visits from 14:00 to 14:59. */
  visitsAt14: integer(),
  /** Number of visits from 15:00 to 15:59. */
  visitsAt15: integer(),
  /** Number of visits from 16:00 to 16:59. */
  visitsAt16: integer(),
  /** Number of visits from 17:00 to 17:59. */
  visitsAt17: integer(),
  /** Number of visits from 18:00 to 18:59. */
  visitsAt18: integer(),
  /** Number of visits from 19:00 to 19:59. */
  visitsAt19: integer(),
  /** Number of visits from 20:00 to 20:59. */
  visitsAt20: integer(),
  /** Number of visits from 21:00 to 21:59. */
  visitsAt21: integer(),
  /** Number of visits from 22:00 to 22:59. */
  visitsAt22: integer(),
  /** Number of visits from 23:00 to 23:59. */
  visitsAt23: integer(),
};

export type HourCounts = ValuesOf<typeof hourColumns>;

/** The names of the columns, indexed by hour from 0 to 23. */
export const hourNames = Object.keys(hourColumns) as readonly (keyof HourCounts)[];
