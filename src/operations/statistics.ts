import { statisticsQuerySchema, statisticsSchema } from "../resources/statistics.js";
import type { Operations } from "./operation.js";

/** The operations on the numbers of each day. */
export const statisticsOperations = {
  get: {
    operationId: "getStatistics",
    summary: "Get the numbers of some days",
    description: [
      "Takes `days`, or `from` and `to`; the last 30 days without any. Days are those of the organization's time zone. `members` and `activeCards`",
      "are those at the end of the day, or of the last one; the others are what came on the day, or on all. `visitsByHour` has the",
      "stampings of all days, less those taken back, for each weekday from Monday, by the hours from 0 to 23.",
    ].join(" "),
    answer: "The numbers of all days together, and of each.",
    scope: "statistics:read",
    query: statisticsQuerySchema,
    result: statisticsSchema,
    errors: [],
  },
} satisfies Operations<"statistics">;
