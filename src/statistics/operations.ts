import type { Operations } from "../kernel/operation.js";
import { outstandingPointsSchema, statisticsQuerySchema, statisticsSchema } from "./schema.js";

export const statisticsOperations = {
  get: {
    operationId: "getStatistics",
    summary: "Get daily statistics",
    description:
      "Provide either `days`, or both `from` and `to`. Default: the last 30 days. Days are in the " +
      "organization's time zone. `customers` and `activeCards` are counts at the end of the day (in the " +
      "totals, at the end of the last day). All other values count what happened during the day or period. " +
      "`visitsByHour` counts visits by weekday (starting with Monday) and hour (0 to 23), excluding " +
      "reversed visits.",
    answer: "The totals and the values for each day.",
    scope: "statistics:read",
    query: statisticsQuerySchema,
    result: statisticsSchema,
    errors: [],
  },
  points: {
    operationId: "getOutstandingPoints",
    summary: "Get outstanding points",
    description:
      "Adds up the points on all passes at this moment, in total and by template. `months` contains the points by the month in " +
      "which they are last usable, in the organization's time zone. The month is `null` for points that never expire. All " +
      "months together are `available + pending + held`.",
    answer: "The points on all passes.",
    scope: "statistics:read",
    result: outstandingPointsSchema,
    errors: [],
  },
} satisfies Operations<"statistics">;
