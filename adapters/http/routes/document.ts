import type { DocumentRoute } from "./route.js";

export const documentRoute: DocumentRoute = {
  method: "GET",
  path: "/v1/openapi.json",
  operationId: "getOpenApiDocument",
  tag: "Reference",
  summary: "Get this document",
  answer: "The OpenAPI 3.1 document of the interface.",
  scope: null,
};
