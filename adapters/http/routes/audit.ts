import {
  auditHeadQuerySchema,
  auditPageSchema,
  auditQuerySchema,
  auditVerificationSchema,
} from "../../../src/resources/audit.js";
import { operation, type Route } from "./route.js";

export const auditRoutes: readonly Route[] = [
  operation({
    method: "GET",
    path: "/v1/audit-entries",
    operationId: "listAuditEntries",
    tag: "Audit",
    summary: "List acts of administration",
    description:
      "Who has managed tokens, apps, grants and webhook endpoints, and exported or erased customers.",
    answer: "Entries in their order, and where the ones after them begin.",
    scope: "audit:read",
    query: auditQuerySchema,
    status: 200,
    output: auditPageSchema,
    errors: [],
    handle: (organization, { query }) => organization.audit.list(query),
  }),
  operation({
    method: "GET",
    path: "/v1/audit-entries:verify",
    operationId: "verifyAuditEntries",
    tag: "Audit",
    summary: "Verify the audit trail",
    description:
      "Looks whether all entries are as they were written, and whether the newest one of an earlier look is still there.",
    answer: "The newest entry, to be kept elsewhere, and where the trail is broken first.",
    scope: "audit:read",
    query: auditHeadQuerySchema,
    status: 200,
    output: auditVerificationSchema,
    errors: [],
    handle: (organization, { query }) => organization.audit.verify(query),
  }),
];
