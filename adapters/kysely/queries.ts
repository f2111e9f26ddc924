import type { Functions } from "../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../src/storage/storage-adapter.js";
import { apiTokenReads, apiTokenWrites } from "./access/api-tokens.js";
import { appReads, appWrites } from "./access/apps.js";
import { auditReads, auditWrites } from "./access/audit.js";
import { grantReads, grantWrites } from "./access/grants.js";
import { passInserts } from "./cards/pass-inserts.js";
import { passReads, passWrites } from "./cards/passes.js";
import { stampReads, stampWrites } from "./cards/stamps.js";
import { templates } from "./cards/templates.js";
import { actorReads, actorWrites } from "./change/actors.js";
import { answerReads, answerWrites } from "./change/answers.js";
import { dayCountReads, dayCountWrites } from "./change/day-counts.js";
import { eventReads, eventWrites } from "./change/events.js";
import { organizations } from "./change/organizations.js";
import type { Changing } from "./change/pending.js";
import { contactReads } from "./contacts/contacts.js";
import { userWrites } from "./customers/user-writes.js";
import { userReads } from "./customers/users.js";
import type { ReadingSets } from "./segments/segment-cache.js";
import { segmentCheck } from "./segments/segment-check.js";
import { segmentChunks } from "./segments/segment-chunks.js";
import { segmentReads } from "./segments/segments.js";
import { countReads } from "./sql/counts.js";
import type { SqlDialect } from "./sql/dialect.js";
import { assignmentReads, assignmentWrites } from "./tags/assignments.js";
import { tagReads, tagWrites } from "./tags/tags.js";
import { pictureReads, pictureWrites } from "./wallets/pictures.js";
import { walletCardReads, walletCardWrites } from "./wallets/wallet-cards.js";
import { walletQueueReads, walletQueueWrites } from "./wallets/wallet-queues.js";
import { webhookDeliveryReads, webhookDeliveryWrites } from "./webhooks/webhook-deliveries.js";
import { webhookEndpointReads, webhookEndpointWrites } from "./webhooks/webhook-endpoints.js";

export type Queries = ReturnType<typeof compiled>;
export type Reads = Functions<StorageReader, ReadingSets>;
export type Writes = Functions<Omit<StorageTransaction, keyof StorageReader>, Changing>;

const known = new WeakMap<SqlDialect, Queries>();

/** Every query of the port, compiled once in a process, as functions that are given what they run on. */
export function queries(dialect: SqlDialect): Queries {
  const before = known.get(dialect);
  if (before !== undefined) return before;
  const all = compiled(dialect);
  known.set(dialect, all);
  return all;
}

function compiled(dialect: SqlDialect) {
  const counted = organizations(dialect);
  const chunks = segmentChunks(dialect);
  const check = segmentCheck(dialect, chunks);
  const users = userReads(dialect);
  const segments = segmentReads(dialect);
  const template = templates(dialect);
  const reads: Reads = {
    ...counted.reads,
    ...users,
    ...contactReads(dialect, { ...segments, ...users }),
    ...tagReads(dialect),
    ...assignmentReads(dialect, users),
    ...segments,
    ...check.reads,
    ...template.reads,
    ...passReads(dialect),
    ...stampReads(dialect),
    ...eventReads(dialect),
    ...actorReads(dialect),
    ...dayCountReads(dialect),
    ...apiTokenReads(dialect),
    ...answerReads(dialect),
    ...appReads(dialect),
    ...auditReads(dialect),
    ...grantReads(dialect),
    ...webhookEndpointReads(dialect),
    ...webhookDeliveryReads(dialect),
    ...pictureReads(dialect),
    ...walletCardReads(dialect),
    ...walletQueueReads(dialect),
    ...countReads(dialect),
  };
  const writes: Writes = {
    ...userWrites(dialect),
    ...tagWrites(dialect),
    ...assignmentWrites(dialect),
    ...check.writes,
    ...template.writes,
    ...passWrites(dialect),
    ...passInserts(dialect),
    ...stampWrites(dialect),
    ...eventWrites(dialect),
    ...actorWrites(dialect),
    ...dayCountWrites(dialect),
    ...apiTokenWrites(dialect),
    ...answerWrites(dialect),
    ...appWrites(dialect),
    ...auditWrites(dialect),
    ...grantWrites(dialect),
    ...webhookEndpointWrites(dialect),
    ...webhookDeliveryWrites(dialect),
    ...pictureWrites(dialect),
    ...walletCardWrites(dialect),
    ...walletQueueWrites(dialect),
  };
  return { organizations: counted, chunks, reads, writes };
}
