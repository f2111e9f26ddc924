import {
  ALL_ORGANIZATIONS,
  type CooldownReads,
  type CooldownWrites,
} from "../../../src/storage/cooldowns.js";
import { bindFunctions, type Functions } from "../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { redactSubjects } from "./actors.js";
import { deleteApiToken, insertApiToken, touchApiToken } from "./api-tokens.js";
import { deleteApp, insertApp, updateApp } from "./apps.js";
import { appendAudit } from "./audit.js";
import {
  insertAutomationRuns,
  removeAutomationRuns,
  skipWaitingRuns,
  updateAutomationRuns,
} from "./automation-runs.js";
import {
  deleteAutomation,
  insertAutomation,
  insertPastAutomation,
  putAutomationCompletion,
  removePastAutomations,
  updateAutomation,
} from "./automations.js";
import { putCooldown, removeExpiredCooldowns, trimCooldowns } from "./cooldowns.js";
import { addCounts } from "./day-counts.js";
import { appendEvents, removeEvents, replaceEventData } from "./events.js";
import {
  deleteGrant,
  deleteGrantToken,
  insertGrant,
  insertGrantToken,
  removeGrantTokens,
  useGrantToken,
} from "./grants.js";
import {
  putIdempotencyRecord,
  redactIdempotencyRecords,
  removeExpiredIdempotencyRecords,
  trimIdempotencyRecords,
} from "./idempotency-records.js";
import {
  claimJobs,
  deleteJobs,
  findQueue,
  insertQueue,
  putJobs,
  recordResults,
  updateQueue,
} from "./jobs.js";
import {
  insertMessageDeliveries,
  putMessageSettings,
  removeMessageDeliveries,
  updateMessageDeliveries,
} from "./mail.js";
import {
  deleteMessage,
  insertMessage,
  putMessageAudience,
  removeMessageAudience,
  updateMessage,
  updateMessageProgress,
} from "./messages.js";
import {
  deletePass,
  insertPass,
  insertPasses,
  recordStamps,
  updateInstallation,
  updateVisits,
} from "./passes.js";
import { insertPerson, updatePerson } from "./people.js";
import { deletePicture, putPicture } from "./pictures.js";
import { recordPoints } from "./points.js";
import {
  createInsertingWrites,
  createOrganizationWrites,
  createStoreWrites,
  type MemoryWriteContext,
} from "./port-functions.js";
import { putPurchase, putPurchaseEffect, putPurchaseReturn } from "./purchases.js";
import { reads } from "./reader.js";
import {
  changeSegmentMembers,
  deleteSegment,
  deleteSilentChanges,
  insertSegment,
  insertSilentChange,
  putSegmentFollower,
  putSegmentMembers,
  recordMemberCount,
  updateSegment,
} from "./saved-segments.js";
import { rebuildTagSets } from "./segments.js";
import { putSettings } from "./settings.js";
import { putSubscription } from "./subscriptions.js";
import {
  assignTag,
  assignTags,
  endTagRemoval,
  insertTag,
  removeTag,
  unassignTag,
  unassignUsers,
  updateTag,
} from "./tags.js";
import { deleteTemplate, insertPastProgram, insertTemplate, updateTemplate } from "./templates.js";
import { deleteUser, insertUser, insertUsers, updateUser } from "./users.js";
import {
  deleteWalletCard,
  deleteWalletDevice,
  insertWalletCard,
  putWalletDevice,
  recordNotified,
  updateWalletCards,
} from "./wallet-cards.js";
import { claimDeliveries, insertDeliveries, recordAttempts, removeDeliveries } from "./webhook-deliveries.js";
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  updateWebhookEndpoint,
} from "./webhook-endpoints.js";

type Writes = Omit<StorageTransaction, keyof StorageReader>;
type InsertingWriteName =
  | "insertUser"
  | "insertUsers"
  | "insertQueue"
  | "putMessageSettings"
  | "insertMessageDeliveries"
  | "insertMessage"
  | "insertAutomation"
  | "putPicture"
  | "insertTag"
  | "insertTemplate"
  | "putPurchase"
  | "putPurchaseReturn"
  | "appendEvents"
  | "addCounts"
  | "putSettings"
  | "insertSegment"
  | "putSegmentFollower"
  | "insertSilentChange"
  | "putIdempotencyRecord"
  | "putCooldown"
  | "insertPerson"
  | "appendAudit"
  | "insertWebhookEndpoint";
type StoreWriteName =
  | "redactSubjects"
  | "insertWalletCard"
  | "deleteWalletCard"
  | "putWalletDevice"
  | "deleteWalletDevice"
  | "insertApiToken"
  | "touchApiToken"
  | "deleteApiToken"
  | "insertApp"
  | "updateApp"
  | "deleteApp"
  | "insertGrant"
  | "deleteGrant"
  | "insertGrantToken"
  | "useGrantToken"
  | "deleteGrantToken"
  | "removeGrantTokens";

/**
 * The storage port's write methods. Each one changes the shared rows immediately and records how to undo the change in case the
 * transaction fails.
 */
export const writes: Functions<Writes, MemoryWriteContext> = {
  ...createInsertingWrites<Pick<Writes, InsertingWriteName>>({
    insertUser,
    insertUsers,
    insertTag,
    insertTemplate,
    putPurchase,
    putPurchaseReturn,
    appendEvents,
    addCounts,
    putSettings,
    insertSegment,
    putSegmentFollower,
    insertSilentChange,
    putIdempotencyRecord,
    putCooldown,
    insertPerson,
    appendAudit,
    insertWebhookEndpoint,
    insertQueue,
    putMessageSettings,
    insertMessageDeliveries,
    insertMessage,
    insertAutomation,
    putPicture,
  }),
  ...createStoreWrites<Pick<Writes, StoreWriteName>>({
    insertApiToken,
    touchApiToken,
    deleteApiToken,
    insertApp,
    updateApp,
    deleteApp,
    insertGrant,
    deleteGrant,
    redactSubjects,
    insertGrantToken,
    useGrantToken,
    deleteGrantToken,
    removeGrantTokens,
    insertWalletCard,
    deleteWalletCard,
    putWalletDevice,
    deleteWalletDevice,
  }),
  ...createOrganizationWrites<Omit<Writes, InsertingWriteName | StoreWriteName>>({
    nextUser: ({ sequence }) => sequence,
    updateUser,
    deleteUser,
    updateTag,
    removeTag,
    endTagRemoval,
    assignTag,
    assignTags,
    unassignTag,
    unassignUsers,
    rebuildTagSets,
    updateSegment,
    deleteSegment,
    putSegmentMembers,
    changeSegmentMembers,
    deleteSilentChanges,
    recordMemberCount,
    updateTemplate,
    insertPastProgram,
    deleteTemplate,
    insertPass,
    insertPasses,
    updateInstallation,
    deletePass,
    recordStamps,
    updateVisits,
    putPurchaseEffect,
    recordPoints,
    removeEvents,
    removeExpiredIdempotencyRecords,
    removeExpiredCooldowns,
    trimCooldowns,
    trimIdempotencyRecords,
    redactIdempotencyRecords,
    replaceEventData,
    updatePerson,
    deletePerson: ({ people }, log, id) => log.delete(people, id),
    lockAudit: ({ audit }) => audit.at(-1) ?? null,
    lockWebhookEndpoint: (rows, _log, id) => findWebhookEndpoint(rows, id),
    updateWebhookEndpoint,
    deleteWebhookEndpoint,
    insertDeliveries,
    claimDeliveries,
    recordAttempts,
    removeDeliveries,
    lockQueue: (rows, _log, kind) => findQueue(rows, kind),
    tryLockQueue: (rows, _log, kind) => findQueue(rows, kind),
    updateQueue,
    updateWalletCards,
    putJobs,
    claimJobs,
    recordResults,
    deleteJobs,
    recordNotified,
    putSubscription,
    updateMessageDeliveries,
    removeMessageDeliveries,
    updateMessage,
    updateMessageProgress,
    deleteMessage,
    putMessageAudience,
    removeMessageAudience,
    updateAutomation,
    deleteAutomation,
    insertPastAutomation,
    removePastAutomations,
    insertAutomationRuns,
    updateAutomationRuns,
    skipWaitingRuns,
    putAutomationCompletion,
    removeAutomationRuns,
    deletePicture,
  }),
};

type SharedCooldowns = CooldownReads & CooldownWrites;

/** The cooldowns that apply to all organizations together. */
export const sharedCooldowns: Functions<SharedCooldowns, MemoryWriteContext> = bindFunctions<
  SharedCooldowns,
  MemoryWriteContext
>(ALL_ORGANIZATIONS, {
  findCooldown: reads.findCooldown,
  putCooldown: writes.putCooldown,
  removeExpiredCooldowns: writes.removeExpiredCooldowns,
  trimCooldowns: writes.trimCooldowns,
});
