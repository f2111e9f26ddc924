import { apiTokenReads, apiTokenWrites } from "./access/api-tokens.js";
import { appReads, appWrites } from "./access/apps.js";
import { grantReads, grantWrites } from "./access/grants.js";
import { passReads, passWrites } from "./cards/passes.js";
import { stampReads, stampWrites } from "./cards/stamps.js";
import { templateReads, templateWrites } from "./cards/templates.js";
import { answerReads, answerWrites } from "./change/answers.js";
import { eventReads, eventWrites } from "./change/events.js";
import { organizations } from "./change/organizations.js";
import { contactReads } from "./contacts/contacts.js";
import { userWrites } from "./customers/user-writes.js";
import { userReads } from "./customers/users.js";
import { segmentCheck } from "./segments/segment-check.js";
import { segmentChunks } from "./segments/segment-chunks.js";
import { segmentReads } from "./segments/segments.js";
import type { SqlDialect } from "./sql/dialect.js";
import { assignmentReads, assignmentWrites } from "./tags/assignments.js";
import { tagReads, tagWrites } from "./tags/tags.js";
import { webhookDeliveryReads, webhookDeliveryWrites } from "./webhooks/webhook-deliveries.js";
import { webhookEndpointReads, webhookEndpointWrites } from "./webhooks/webhook-endpoints.js";

export type Queries = ReturnType<typeof queries>;
export type Reads = Queries["reads"];
export type Writes = Queries["writes"];

/** Compiles every query of the port once. Each group is then bound to the sessions that it runs on. */
export function queries(dialect: SqlDialect) {
  const known = organizations(dialect);
  const chunks = segmentChunks(dialect);
  const check = segmentCheck(dialect, chunks);
  return {
    locksOrganizations: dialect.locksOrganizations,
    organizations: known,
    chunks,
    reads: {
      users: userReads(dialect),
      tags: tagReads(dialect),
      assignments: assignmentReads(dialect),
      segments: segmentReads(dialect),
      check: check.reads,
      contacts: contactReads(dialect),
      templates: templateReads(dialect),
      passes: passReads(dialect),
      stamps: stampReads(dialect),
      events: eventReads(dialect),
      apiTokens: apiTokenReads(dialect),
      answers: answerReads(dialect),
      apps: appReads(dialect),
      grants: grantReads(dialect),
      webhookEndpoints: webhookEndpointReads(dialect),
      webhookDeliveries: webhookDeliveryReads(dialect),
      organizations: known.reads,
    },
    writes: {
      users: userWrites(dialect),
      tags: tagWrites(dialect),
      assignments: assignmentWrites(dialect),
      check: check.writes,
      templates: templateWrites(dialect),
      passes: passWrites(dialect),
      stamps: stampWrites(dialect),
      events: eventWrites(dialect),
      apiTokens: apiTokenWrites(dialect),
      answers: answerWrites(dialect),
      apps: appWrites(dialect),
      grants: grantWrites(dialect),
      webhookEndpoints: webhookEndpointWrites(dialect),
      webhookDeliveries: webhookDeliveryWrites(dialect),
    },
  };
}
