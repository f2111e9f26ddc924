import type { Operations } from "../kernel/operation.js";
import {
  purchaseListQuerySchema,
  purchasePageSchema,
  purchaseResultSchema,
  purchaseSchema,
  putPurchaseSchema,
  returnPurchaseSchema,
} from "./schema.js";

const answer = "The purchase and what the call changed.";

export const purchaseOperations = {
  put: {
    operationId: "putPurchase",
    summary: "Record or replace a purchase",
    description:
      "Records the whole state of a purchase, and corrects the customer's cards by the exact difference. " +
      "The source and the receipt identify the purchase for good. Sending the same state again changes nothing.",
    answer,
    scope: "purchase:write",
    body: putPurchaseSchema,
    result: purchaseResultSchema,
    statusOfNew: 201,
    errors: ["resource_not_found", "purchase_conflict", "more_than_bought"],
  },
  list: {
    operationId: "listPurchases",
    summary: "List purchases",
    answer: "A page of purchases, newest first. A page past the end is empty.",
    scope: "purchase:read",
    query: purchaseListQuerySchema,
    result: purchasePageSchema,
    isWide: true,
    errors: ["resource_not_found"],
  },
  get: {
    operationId: "getPurchase",
    summary: "Get a purchase",
    answer: "The purchase and its current effects.",
    scope: "purchase:read",
    result: purchaseSchema,
    errors: ["resource_not_found"],
  },
  addReturn: {
    operationId: "returnPurchase",
    summary: "Return lines of a purchase",
    description:
      "Takes back some lines of a purchase, or all of them, which cancels it. The same return again changes " +
      "nothing. A line without `quantity` and `amount` comes back as a whole.",
    answer,
    scope: "purchase:write",
    body: returnPurchaseSchema,
    result: purchaseResultSchema,
    errors: ["resource_not_found", "return_conflict", "more_than_bought"],
  },
  confirm: {
    operationId: "confirmPurchase",
    summary: "Make a purchase's pending points usable",
    description:
      "Points that the purchase gives later are usable as they come. The request body is optional.",
    answer,
    scope: "purchase:write",
    result: purchaseResultSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"purchases">;
