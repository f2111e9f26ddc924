import type { Operations } from "../kernel/operation.js";
import {
  addPointsSchema,
  pointCardSchema,
  pointHistoryQuerySchema,
  pointHistorySchema,
  pointReceiptSchema,
  removePointsSchema,
  reversePointEntrySchema,
  spendPointsSchema,
} from "./schema.js";

const answer = "The new points and the ID of the ledger entry.";

export const pointOperations = {
  state: {
    operationId: "getPointCard",
    summary: "Get a pass's points",
    description: "The points at the time of the call. Points that have expired are never included.",
    answer: "The current points.",
    scope: "pass:read",
    isForUsers: true,
    result: pointCardSchema,
    errors: ["resource_not_found", "not_a_point_card"],
  },
  history: {
    operationId: "listPointEntries",
    summary: "List a pass's point entries",
    description: "Entries never change. A pass's points are the sum of its entries.",
    answer: "A page of entries, newest first. A page past the end is empty.",
    scope: "pass:read",
    isForUsers: true,
    query: pointHistoryQuerySchema,
    result: pointHistorySchema,
    errors: ["resource_not_found", "not_a_point_card"],
  },
  add: {
    operationId: "addPoints",
    summary: "Add points",
    description:
      "Points pay the card's debt first. Without `expiresAt`, they expire like points that are earned now.",
    answer,
    scope: "loyalty:manage",
    body: addPointsSchema,
    result: pointReceiptSchema,
    errors: ["resource_not_found", "not_a_point_card"],
  },
  remove: {
    operationId: "removePoints",
    summary: "Remove points",
    description: "Removes the points that expire soonest.",
    answer,
    scope: "loyalty:manage",
    body: removePointsSchema,
    result: pointReceiptSchema,
    errors: ["resource_not_found", "not_a_point_card", "not_enough_points"],
  },
  spend: {
    operationId: "spendPoints",
    summary: "Spend points",
    description: "Spends the points that expire soonest. Pending points can't be spent.",
    answer,
    scope: "loyalty:manage",
    body: spendPointsSchema,
    result: pointReceiptSchema,
    errors: ["resource_not_found", "not_a_point_card", "not_enough_points"],
  },
  reverse: {
    operationId: "reversePointEntry",
    summary: "Reverse a point entry",
    description:
      "Reverses an entry that added, removed or spent points. An entry can be reversed only once. Points " +
      "that go back pay the card's debt first, and then return to where they came from.",
    answer,
    scope: "loyalty:manage",
    body: reversePointEntrySchema,
    result: pointReceiptSchema,
    errors: [
      "resource_not_found",
      "not_a_point_card",
      "not_reversible",
      "already_reversed",
      "not_enough_points",
    ],
  },
} satisfies Operations<"points">;
