import { Bitmap } from "../../../src/storage/bitmap.js";
import type { CountableKind } from "../../../src/storage/counts.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { StorageLookUps, StorageReader } from "../../../src/storage/storage-adapter.js";
import { listSubjects } from "./actors.js";
import { findApiTokensByHash } from "./api-tokens.js";
import { findApp } from "./apps.js";
import { listAudit } from "./audit.js";
import {
  countAutomationRuns,
  countWaitingRuns,
  dueAutomationRuns,
  listAutomationRuns,
  nextAutomationRunAt,
} from "./automation-runs.js";
import { automationVersion, countPastAutomations, findAutomationCompletion } from "./automations.js";
import { matchBehavior } from "./behavior.js";
import { listContacts } from "./contacts.js";
import { readDayCounts } from "./day-counts.js";
import { eventsAt, findEventIn, listEvents, toEventHead } from "./events.js";
import { findGrant, findGrantTokenByHash, grantEndsAt, listGrants } from "./grants.js";
import { countDueJobs, findQueue, queuesWithDueJobs } from "./jobs.js";
import {
  mailQueuesAfter,
  messageDeliveriesById,
  messageDeliveriesOf,
  messageDeliveriesWith,
  organizationOfMailToken,
  pendingMessageDeliveries,
  recentMailsOf,
  recentMessagesOf,
} from "./mail.js";
import {
  countMessages,
  listMessages,
  messageAudience,
  messagesById,
  messagesWithRecipient,
} from "./messages.js";
import {
  countStampEntries,
  findStampEntry,
  holdersOf,
  listStampEntries,
  passesByCode,
  passesOfUsers,
} from "./passes.js";
import { peopleByEmail, peopleById } from "./people.js";
import { findPicture, listPictures } from "./pictures.js";
import {
  findPointEntry,
  holdersOfExpiringPoints,
  isPointEntryReversed,
  listPointEntries,
  openPointLots,
  organizationsWithDuePoints,
  passesWithDuePoints,
  passesWithPoints,
  pointEntriesOfPurchase,
  pointLotsAt,
  pointLotsEndingAfter,
  pointLotsOfPurchase,
  remainingPointLots,
  sumPoints,
} from "./points.js";
import {
  createOrganizationReads,
  createStoreLookUps,
  createStoreReads,
  type MemoryLookUpContext,
  type MemoryReadContext,
} from "./port-functions.js";
import {
  effectsOfPurchases,
  findPurchase,
  findPurchaseReturn,
  listPurchases,
  purchasesBefore,
  purchaseVisits,
  remainingPurchasesOf,
  returnsOfPurchase,
  unitsOfPurchases,
} from "./purchases.js";
import {
  findSegment,
  listSegments,
  membersAmong,
  organizationsToFollow,
  organizationsWithSavedSegments,
  segmentDays,
  silentChanges,
} from "./saved-segments.js";
import { readTagSets, verifyTagSets } from "./segments.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { findByKey } from "./store/rows.js";
import { subscriptionsOf } from "./subscriptions.js";
import {
  assignmentsOfUsers,
  findTag,
  holdersOfRemovedTags,
  organizationsWithTagRemovals,
  slugsOfUsers,
  tagRemovals,
  tagsOfUser,
} from "./tags.js";
import { findPastProgram, hasPasses } from "./templates.js";
import {
  findUser,
  listUsersAt,
  usersByEmail,
  usersByExternalId,
  usersById,
  usersByOrdinal,
} from "./users.js";
import {
  findWalletPass,
  organizationsWithWallets,
  walletCardsAfter,
  walletCardsOf,
  walletCardsOfDevice,
  walletCardsOfTemplate,
  walletCardsWithMessage,
  walletDevicesOf,
  walletDevicesOfToken,
  walletPassesAfter,
} from "./wallet-cards.js";
import { attemptsOf, findDelivery, listDeliveries, pendingDeliveries } from "./webhook-deliveries.js";
import {
  endpointsWithDueWork,
  findWebhookEndpoint,
  listWebhookEndpoints,
  webhookEndpointsAfter,
} from "./webhook-endpoints.js";

type StoreReadName = "listGrants" | "findGrant" | "grantEndsAt";

function countRows(rows: OrganizationRows, kind: CountableKind): number {
  if (kind === "pendingMessageDeliveries") return pendingMessageDeliveries(rows);
  if (kind === "waitingAutomationRuns") return countWaitingRuns(rows);
  if (kind === "scheduledMessages") return countMessages(rows, "SCHEDULED");
  return kind === "sendingMessages" ? countMessages(rows, "SENDING") : rows[kind].size;
}

/** The storage port's look-ups across all organizations, implemented over the in-memory rows. */
export const lookUps: Functions<StorageLookUps, MemoryLookUpContext> = createStoreLookUps<StorageLookUps>({
  findApiTokensByHash,
  findApp,
  findGrantTokenByHash,
  peopleByEmail,
  peopleById,
  hasPeople: (store) => [...store.all()].some(([, { people }]) => people.size > 0),
  endpointsWithDueWork,
  webhookEndpointsAfter,
  findWalletPass,
  walletPassesAfter,
  walletCardsAfter,
  walletCardsOfDevice,
  walletDevicesOfToken,
  queuesWithDueJobs,
  organizationsWithWallets,
  organizationsWithSavedSegments,
  organizationsToFollow,
  organizationsWithTagRemovals,
  organizationsWithDuePoints,
  findPicture,
  organizationOfMailToken,
  mailQueuesAfter,
  organizationOfCode: (store, code) => store.findOwner(({ passIdsByCode }) => passIdsByCode.has(code)),
  organizationOfTemplate: (store, id) => store.findOwner(({ templates }) => templates.has(id)),
  isEmpty: (store) => store.isEmpty(),
});

type Reads = Omit<StorageReader, "all">;

/** The storage port's read methods, implemented over the in-memory rows. */
export const reads: Functions<Reads, MemoryReadContext> = {
  ...createStoreReads<Pick<Reads, StoreReadName>>({ listGrants, findGrant, grantEndsAt }),
  ...createOrganizationReads<Omit<Reads, StoreReadName>>({
    findUser,
    findUserByExternalId: ({ ordinalsByExternalId, users }, externalId) =>
      findByKey(ordinalsByExternalId, users, externalId)?.user ?? null,
    findUserByEmail: ({ ordinalsByEmail, users }, emailFold) =>
      findByKey(ordinalsByEmail, users, emailFold)?.user ?? null,
    listUsers: (rows, after, limit) => listUsersAt(rows, rows.everybody.listAbove(after, limit)),
    usersById,
    usersByExternalId,
    usersByEmail,
    usersByOrdinal,
    listContacts,
    findTag,
    tagOfOrdinal: ({ tags }, ordinal) => tags.get(ordinal) ?? null,
    listTags: ({ tags }) => [...tags.values()].sort(byAge),
    tagsOfUser,
    slugsOfUsers,
    assignmentsOfUsers,
    tagRemovals,
    holdersOfRemovedTags,
    usersOfTag: (rows, tagOrdinal, after, limit) =>
      listUsersAt(rows, rows.holders.get(tagOrdinal)?.listAbove(after, limit) ?? []),
    readTagSets,
    verifyTagSets,
    matchBehavior,
    findSegment,
    listSegments,
    segmentMembers: (rows, id) => rows.segmentMembers.get(id) ?? Bitmap.empty,
    membersAmong,
    findSegmentFollower: ({ segmentFollower }) => segmentFollower,
    silentChanges,
    segmentDays,
    findTemplate: ({ templates }, id) => templates.get(id) ?? null,
    listTemplates: ({ templates }) => [...templates.values()].sort(byAge),
    findPastProgram,
    templateHasPasses: hasPasses,
    findPass: ({ passes }, id) => passes.get(id) ?? null,
    findPassByCode: ({ passIdsByCode, passes }, code) => findByKey(passIdsByCode, passes, code),
    passesByCode,
    holdersOf,
    passesOfUsers,
    listStampEntries,
    countStampEntries,
    findStampEntry,
    findPurchase,
    listPurchases,
    effectsOfPurchases,
    unitsOfPurchases,
    purchasesBefore,
    purchaseVisits,
    remainingPurchasesOf,
    findPurchaseReturn,
    returnsOfPurchase,
    findPointCard: ({ pointCards }, passId) => pointCards.get(passId) ?? null,
    openPointLots,
    remainingPointLots,
    pointLotsAt,
    pointLotsEndingAfter,
    pointLotsOfPurchase,
    listPointEntries,
    pointEntriesOfPurchase,
    findPointEntry,
    isPointEntryReversed,
    passesWithDuePoints,
    holdersOfExpiringPoints,
    sumPoints,
    passesWithPoints,
    newestEventPosition: ({ lastPosition }) => lastPosition,
    listEvents,
    readDayCounts,
    listEventHeads: (rows, types, after, limit) => listEvents(rows, types, after, limit).map(toEventHead),
    eventsAt,
    findEventIn,
    listAudit,
    newestAudit: ({ audit }) => audit.at(-1) ?? null,
    listSubjects,
    listApiTokens: ({ apiTokens }) => [...apiTokens.values()].sort(byAge),
    findApiToken: ({ apiTokens }, id) => apiTokens.get(id) ?? null,
    listPeople: ({ people }) => [...people.values()].sort(byAge),
    findPerson: ({ people }, id) => people.get(id) ?? null,
    findCooldown: ({ cooldownsByName }, name) => cooldownsByName.get(name) ?? null,
    findIdempotencyRecord: ({ idempotencyRecords }, keyHash) => idempotencyRecords.get(keyHash) ?? null,
    listApps: ({ apps }) => [...apps.values()].sort(byAge),
    listWebhookEndpoints,
    findWebhookEndpoint,
    listDeliveries,
    findDelivery,
    attemptsOf,
    pendingDeliveries,
    findWalletCard: ({ walletCards }, passId) => walletCards.get(passId) ?? null,
    walletCardsOf,
    walletCardsOfTemplate,
    walletCardsWithMessage,
    walletDevicesOf,
    listPictures,
    findSubscription: ({ subscriptions }, userId) => subscriptions.get(userId) ?? null,
    subscriptionsOf,
    findSettings: ({ settings }) => settings,
    findMessageSettings: ({ messageSettings }) => messageSettings,
    findMessageDelivery: ({ messageDeliveries }, id) => messageDeliveries.get(id) ?? null,
    messageDeliveriesById,
    messageDeliveriesOf,
    messageDeliveriesWith,
    recentMailsOf,
    recentMessagesOf,
    findMessage: ({ messages }, id) => messages.get(id) ?? null,
    messagesById,
    listMessages,
    messagesWithRecipient,
    findAutomation: ({ automations }, id) => automations.get(id) ?? null,
    listAutomations: ({ automations }) => [...automations.values()].sort(byAge),
    automationVersion,
    countPastAutomations,
    findAutomationRun: ({ automationRuns }, id) => automationRuns.get(id) ?? null,
    listAutomationRuns,
    dueAutomationRuns,
    nextAutomationRunAt,
    countAutomationRuns,
    findAutomationCompletion,
    findQueue,
    countDueJobs,
    messageAudience,
    countOf: countRows,
    countGrantsBy: ({ grants }, subject) =>
      [...grants.values()].filter((grant) => grant.subject === subject).length,
  }),
};
