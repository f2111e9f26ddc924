import type { Functions } from "../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../src/storage/storage-adapter.js";
import { forgetSubjects } from "./actors.js";
import { forgetAnswers, putAnswer, removeAnswers, removeAnswersBeyond } from "./answers.js";
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
  insertAutomationQueue,
  insertPastAutomation,
  putAutomationUse,
  removePastAutomations,
  updateAutomation,
  updateAutomationQueue,
} from "./automations.js";
import { countAt } from "./day-counts.js";
import { appendEvents, removeEvents, replaceEventData } from "./events.js";
import { changing, changingStore, filling, type Writing } from "./functions.js";
import {
  deleteGrant,
  deleteGrantToken,
  insertGrant,
  insertGrantToken,
  removeGrantTokens,
  useGrantToken,
} from "./grants.js";
import { claimJobs, dropJobs, putJobs, settleJobs } from "./jobs.js";
import {
  insertMailQueue,
  insertMessageDeliveries,
  putMessageSettings,
  removeMessageDeliveries,
  updateMailQueue,
  updateMessageDeliveries,
} from "./mail.js";
import { putMark, removeMarks, removeMarksBeyond } from "./marks.js";
import {
  deleteMessage,
  insertMessage,
  insertMessageQueue,
  putMessageAudience,
  removeMessageAudience,
  updateMessage,
  updateMessageQueue,
} from "./messages.js";
import {
  deletePass,
  findHeldPass,
  insertPass,
  insertPasses,
  recordStamps,
  updateInstallation,
} from "./passes.js";
import { insertPerson, updatePerson } from "./people.js";
import { deletePicture, putPicture } from "./pictures.js";
import {
  changeSegmentMembers,
  deleteSegment,
  dropSettledUsers,
  emittingSegments,
  insertSegment,
  noteSegmentMembers,
  putSegmentMark,
  putSegmentMembers,
  putSettledUsers,
  updateSegment,
} from "./saved-segments.js";
import { rebuildSegments } from "./segments.js";
import { putSettings } from "./settings.js";
import { putSubscription } from "./subscriptions.js";
import {
  assignTag,
  assignTags,
  deleteTag,
  insertTag,
  unassignTag,
  unassignUsers,
  updateTag,
} from "./tags.js";
import { deleteTemplate, insertTemplate, updateTemplate } from "./templates.js";
import { deleteUser, insertUser, insertUsers, updateUser } from "./users.js";
import {
  deleteWalletCard,
  deleteWalletDevice,
  insertWalletCard,
  insertWalletQueue,
  noteTold,
  putWalletDevice,
  updateWalletCards,
  updateWalletQueue,
} from "./wallet-cards.js";
import { claimDeliveries, insertDeliveries, recordAttempts, removeDeliveries } from "./webhook-deliveries.js";
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  updateWebhookEndpoint,
} from "./webhook-endpoints.js";

type Writes = Omit<StorageTransaction, keyof StorageReader>;
type Filling =
  | "insertUser"
  | "insertUsers"
  | "insertWalletQueue"
  | "putMessageSettings"
  | "insertMailQueue"
  | "insertMessageDeliveries"
  | "insertMessage"
  | "insertMessageQueue"
  | "insertAutomation"
  | "insertAutomationQueue"
  | "putPicture"
  | "insertTag"
  | "insertTemplate"
  | "appendEvents"
  | "countAt"
  | "putSettings"
  | "insertSegment"
  | "putSegmentMark"
  | "putAnswer"
  | "putMark"
  | "insertPerson"
  | "appendAudit"
  | "insertWebhookEndpoint";
type OfStore =
  | "forgetSubjects"
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

/** The writes of the port: at once, into the rows that everybody reads. The log takes it back when the transaction fails. */
export const writes: Functions<Writes, Writing> = {
  ...filling<Pick<Writes, Filling>>({
    insertUser,
    insertUsers,
    insertTag,
    insertTemplate,
    appendEvents,
    countAt,
    putSettings,
    insertSegment,
    putSegmentMark,
    putAnswer,
    putMark,
    insertPerson,
    appendAudit,
    insertWebhookEndpoint,
    insertWalletQueue,
    putMessageSettings,
    insertMailQueue,
    insertMessageDeliveries,
    insertMessage,
    insertMessageQueue,
    insertAutomation,
    insertAutomationQueue,
    putPicture,
  }),
  ...changingStore<Pick<Writes, OfStore>>({
    insertApiToken,
    touchApiToken,
    deleteApiToken,
    insertApp,
    updateApp,
    deleteApp,
    insertGrant,
    deleteGrant,
    forgetSubjects,
    insertGrantToken,
    useGrantToken,
    deleteGrantToken,
    removeGrantTokens,
    insertWalletCard,
    deleteWalletCard,
    putWalletDevice,
    deleteWalletDevice,
  }),
  ...changing<Omit<Writes, Filling | OfStore>>({
    nextUser: ({ sequence }) => sequence,
    updateUser,
    deleteUser,
    updateTag,
    deleteTag,
    assignTag,
    assignTags,
    unassignTag,
    unassignUsers,
    rebuildSegments,
    emittingSegments,
    updateSegment,
    deleteSegment,
    putSegmentMembers,
    changeSegmentMembers,
    putSettledUsers,
    dropSettledUsers,
    noteSegmentMembers,
    updateTemplate,
    deleteTemplate,
    findHeldPass,
    insertPass,
    insertPasses,
    updateInstallation,
    deletePass,
    recordStamps,
    removeEvents,
    removeAnswers,
    removeMarks,
    removeMarksBeyond,
    removeAnswersBeyond,
    forgetAnswers,
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
    lockWalletQueue: ({ walletQueue }) => walletQueue,
    updateWalletQueue,
    updateWalletCards,
    putJobs,
    claimJobs,
    settleJobs,
    dropJobs,
    noteTold,
    putSubscription,
    updateMailQueue,
    updateMessageDeliveries,
    removeMessageDeliveries,
    updateMessage,
    deleteMessage,
    updateMessageQueue,
    putMessageAudience,
    removeMessageAudience,
    updateAutomation,
    deleteAutomation,
    updateAutomationQueue,
    insertPastAutomation,
    removePastAutomations,
    insertAutomationRuns,
    updateAutomationRuns,
    skipWaitingRuns,
    putAutomationUse,
    removeAutomationRuns,
    deletePicture,
  }),
};
