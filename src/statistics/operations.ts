import type { Operations } from "../kernel/operation.js";
import { statisticsQuerySchema, statisticsSchema } from "./schema.js";

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
} satisfies Operations<"statistics">;
