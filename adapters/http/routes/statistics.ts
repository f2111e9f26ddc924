import { statisticsQuerySchema, statisticsSchema } from "../../../src/resources/statistics.js";
import { operation, type Route } from "./route.js";

export const statisticsRoutes: readonly Route[] = [
  operation({
    method: "GET",
    path: "/v1/statistics",
    operationId: "getStatistics",
    tag: "Statistics",
    summary: "Get the numbers of some days",
    description: [
      "Takes `days`, or `from` and `to`; the last 30 days without any. Days are those of UTC. `members` and `activeCards`",
      "are those at the end of the day, or of the last one; the others are what came on the day, or on all.",
    ].join(" "),
    answer: "The numbers of all days together, and of each.",
    scope: "statistics:read",
    query: statisticsQuerySchema,
    status: 200,
    output: statisticsSchema,
    errors: [],
    handle: (organization, { query }) => organization.statistics.get(query),
  }),
];
