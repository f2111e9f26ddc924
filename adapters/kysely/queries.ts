import { answerReads, answerWrites } from "./answers.js";
import { apiTokenReads, apiTokenWrites } from "./api-tokens.js";
import { appReads, appWrites } from "./apps.js";
import { assignmentReads, assignmentWrites } from "./assignments.js";
import { contactReads } from "./contacts.js";
import type { SqlDialect } from "./dialect.js";
import { eventReads, eventWrites } from "./events.js";
import { grantReads, grantWrites } from "./grants.js";
import { organizations } from "./organizations.js";
import { passReads, passWrites } from "./passes.js";
import { segmentCheck } from "./segment-check.js";
import { segmentChunks } from "./segment-chunks.js";
import { segmentReads } from "./segments.js";
import { stampReads, stampWrites } from "./stamps.js";
import { tagReads, tagWrites } from "./tags.js";
import { templateReads, templateWrites } from "./templates.js";
import { userWrites } from "./user-writes.js";
import { userReads } from "./users.js";
import { webhookDeliveryReads, webhookDeliveryWrites } from "./webhook-deliveries.js";
import { webhookEndpointReads, webhookEndpointWrites } from "./webhook-endpoints.js";

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
