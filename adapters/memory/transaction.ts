import type { StoredAnswer } from "../../src/storage/answers.js";
import type { StoredApiToken } from "../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../src/storage/apps.js";
import type { EventRetention, NewEvent, RemovalRange } from "../../src/storage/events.js";
import type {
  InstallationStatus,
  StoredCard,
  StoredPass,
  StoredStampEntry,
} from "../../src/storage/passes.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { StoredAssignment, StoredTag } from "../../src/storage/tags.js";
import type { StoredTemplate } from "../../src/storage/templates.js";
import type { StoredUser, UserFolds } from "../../src/storage/users.js";
import type {
  NewWalletDelivery,
  StoredPicture,
  StoredWalletCard,
  StoredWalletDevice,
  StoredWalletQueue,
  WalletClaim,
  WalletDeviceKey,
  WalletOutcome,
  WalletPlatform,
} from "../../src/storage/wallets.js";
import type {
  AttemptOutcome,
  DeliveryClaim,
  NewDelivery,
  StoredWebhookEndpoint,
} from "../../src/storage/webhooks.js";
import { putAnswer, removeAnswers } from "./answers.js";
import { deleteApiToken, insertApiToken, touchApiToken } from "./api-tokens.js";
import { deleteApp, insertApp, updateApp } from "./apps.js";
import { appendEvents, removeEvents } from "./events.js";
import {
  deleteGrant,
  deleteGrantToken,
  insertGrant,
  insertGrantToken,
  removeGrantTokens,
  useGrantToken,
} from "./grants.js";
import { deletePass, insertPass, recordStamps, updateInstallation } from "./passes.js";
import { deletePicture, putPicture } from "./pictures.js";
import { type Gate, MemoryReader } from "./reader.js";
import { rebuildSegments } from "./segments.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";
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
import { deleteUser, insertUser, updateUser } from "./users.js";
import {
  deleteWalletCard,
  deleteWalletDevice,
  insertWalletCard,
  putWalletDevice,
  putWalletQueue,
  updateWalletCards,
} from "./wallet-cards.js";
import { claimWalletDeliveries, putWalletDeliveries, settleWalletDeliveries } from "./wallet-deliveries.js";
import { claimDeliveries, insertDeliveries, recordAttempts, removeDeliveries } from "./webhook-deliveries.js";
import { deleteWebhookEndpoint, insertWebhookEndpoint, updateWebhookEndpoint } from "./webhook-endpoints.js";

/** Writes at once, into the rows that everybody reads; the log takes it back when the transaction fails. */
export class MemoryTransaction extends MemoryReader implements StorageTransaction {
  constructor(
    store: Store,
    gate: Gate,
    private readonly log: UndoLog,
  ) {
    super(store, gate);
  }

  nextUser(organizationId: string) {
    return this.change(organizationId, (rows) => rows.sequence);
  }

  insertUser(organizationId: string, user: StoredUser, folds: UserFolds) {
    return this.fill(organizationId, (rows) => insertUser(rows, this.log, user, folds));
  }

  updateUser(organizationId: string, user: StoredUser, folds: UserFolds) {
    return this.change(organizationId, (rows) => updateUser(rows, this.log, user, folds));
  }

  deleteUser(organizationId: string, id: string) {
    return this.change(organizationId, (rows) => deleteUser(rows, this.log, id));
  }

  insertTag(organizationId: string, tag: StoredTag) {
    return this.fill(organizationId, (rows) => insertTag(rows, this.log, tag));
  }

  updateTag(organizationId: string, tag: StoredTag) {
    return this.change(organizationId, (rows) => updateTag(rows, this.log, tag));
  }

  deleteTag(organizationId: string, tagId: string) {
    return this.change(organizationId, (rows) => deleteTag(rows, this.log, tagId));
  }

  assignTag(organizationId: string, assignment: StoredAssignment) {
    return this.change(organizationId, (rows) => assignTag(rows, this.log, assignment));
  }

  assignTags(organizationId: string, assignments: readonly StoredAssignment[]) {
    return this.change(organizationId, (rows) => assignTags(rows, this.log, assignments));
  }

  unassignTag(organizationId: string, userOrdinal: number, tagId: string) {
    return this.change(organizationId, (rows) => unassignTag(rows, this.log, userOrdinal, tagId));
  }

  unassignUsers(organizationId: string, tagId: string, userOrdinals: readonly number[]) {
    return this.change(organizationId, (rows) => unassignUsers(rows, this.log, tagId, userOrdinals));
  }

  rebuildSegments(organizationId: string) {
    return this.change(organizationId, (rows) => rebuildSegments(rows, this.log));
  }

  insertTemplate(organizationId: string, template: StoredTemplate) {
    return this.fill(organizationId, (rows) => insertTemplate(rows, this.log, template));
  }

  updateTemplate(organizationId: string, template: StoredTemplate) {
    return this.change(organizationId, (rows) => updateTemplate(rows, this.log, template));
  }

  deleteTemplate(organizationId: string, id: string) {
    return this.change(organizationId, (rows) => deleteTemplate(rows, this.log, id));
  }

  insertPass(organizationId: string, pass: StoredPass) {
    return this.change(organizationId, (rows) => insertPass(rows, this.log, pass));
  }

  updateInstallation(organizationId: string, passId: string, status: InstallationStatus, updatedAt: number) {
    return this.change(organizationId, (rows) =>
      updateInstallation(rows, this.log, passId, status, updatedAt),
    );
  }

  deletePass(organizationId: string, passId: string) {
    return this.change(organizationId, (rows) => deletePass(rows, this.log, passId));
  }

  recordStamps(organizationId: string, card: StoredCard, entry: StoredStampEntry) {
    return this.change(organizationId, (rows) => recordStamps(rows, this.log, card, entry));
  }

  appendEvents(organizationId: string, events: readonly NewEvent[]) {
    return this.fill(organizationId, (rows) => appendEvents(rows, this.log, events));
  }

  removeEvents(organizationId: string, keep: EventRetention, range: RemovalRange) {
    return this.change(organizationId, (rows) => removeEvents(rows, this.log, keep, range));
  }

  insertApiToken(organizationId: string, token: StoredApiToken) {
    return this.gate(() => insertApiToken(this.store, this.log, organizationId, token));
  }

  touchApiToken(organizationId: string, id: string, lastUsedAt: number) {
    return this.gate(() => touchApiToken(this.store, this.log, organizationId, id, lastUsedAt));
  }

  deleteApiToken(organizationId: string, id: string) {
    return this.gate(() => deleteApiToken(this.store, this.log, organizationId, id));
  }

  putAnswer(organizationId: string, answer: StoredAnswer) {
    return this.fill(organizationId, (rows) => putAnswer(rows, this.log, answer));
  }

  removeAnswers(organizationId: string, before: number, limit: number) {
    return this.change(organizationId, (rows) => removeAnswers(rows, this.log, before, limit));
  }

  insertApp(organizationId: string, app: StoredApp) {
    return this.gate(() => insertApp(this.store, this.log, organizationId, app));
  }

  updateApp(organizationId: string, app: StoredApp) {
    return this.gate(() => updateApp(this.store, this.log, organizationId, app));
  }

  deleteApp(organizationId: string, id: string) {
    return this.gate(() => deleteApp(this.store, this.log, organizationId, id));
  }

  insertGrant(organizationId: string, grant: StoredGrant) {
    return this.gate(() => insertGrant(this.store, this.log, organizationId, grant));
  }

  deleteGrant(organizationId: string, id: string) {
    return this.gate(() => deleteGrant(this.store, this.log, organizationId, id));
  }

  insertGrantToken(organizationId: string, token: StoredGrantToken) {
    return this.gate(() => insertGrantToken(this.store, this.log, organizationId, token));
  }

  useGrantToken(organizationId: string, id: string, usedAt: number) {
    return this.gate(() => useGrantToken(this.store, this.log, organizationId, id, usedAt));
  }

  deleteGrantToken(organizationId: string, id: string) {
    return this.gate(() => deleteGrantToken(this.store, this.log, organizationId, id));
  }

  removeGrantTokens(organizationId: string, before: number, limit: number) {
    return this.gate(() => removeGrantTokens(this.store, this.log, organizationId, before, limit));
  }

  insertWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint) {
    return this.fill(organizationId, (rows) => insertWebhookEndpoint(rows, this.log, endpoint));
  }

  lockWebhookEndpoint(organizationId: string, id: string) {
    return this.findWebhookEndpoint(organizationId, id);
  }

  updateWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint) {
    return this.change(organizationId, (rows) => updateWebhookEndpoint(rows, this.log, endpoint));
  }

  deleteWebhookEndpoint(organizationId: string, id: string) {
    return this.change(organizationId, (rows) => deleteWebhookEndpoint(rows, this.log, id));
  }

  insertDeliveries(organizationId: string, endpointId: string, deliveries: readonly NewDelivery[]) {
    return this.change(organizationId, (rows) => insertDeliveries(rows, this.log, endpointId, deliveries));
  }

  claimDeliveries(organizationId: string, endpointId: string, claim: DeliveryClaim) {
    return this.change(organizationId, (rows) => claimDeliveries(rows, this.log, endpointId, claim));
  }

  recordAttempts(
    organizationId: string,
    endpointId: string,
    lease: string,
    outcomes: readonly AttemptOutcome[],
    now: number,
  ) {
    return this.change(organizationId, (rows) =>
      recordAttempts(rows, this.log, endpointId, lease, outcomes, now),
    );
  }

  removeDeliveries(organizationId: string, endpointId: string, before: number, limit: number) {
    return this.change(organizationId, (rows) => removeDeliveries(rows, this.log, endpointId, before, limit));
  }

  insertWalletQueue(organizationId: string, queue: StoredWalletQueue) {
    return this.fill(organizationId, (rows) => {
      if (rows.walletQueue !== null) throw new Error("The organization has a queue already.");
      putWalletQueue(rows, this.log, queue);
    });
  }

  lockWalletQueue(organizationId: string) {
    return this.findWalletQueue(organizationId);
  }

  updateWalletQueue(organizationId: string, queue: StoredWalletQueue) {
    return this.change(organizationId, (rows) => {
      if (rows.walletQueue === null) return false;
      putWalletQueue(rows, this.log, queue);
      return true;
    });
  }

  insertWalletCard(organizationId: string, card: StoredWalletCard) {
    return this.fill(organizationId, (rows) =>
      insertWalletCard(this.store, rows, this.log, organizationId, card),
    );
  }

  updateWalletCards(organizationId: string, cards: readonly StoredWalletCard[]) {
    return this.change(organizationId, (rows) => updateWalletCards(rows, this.log, cards));
  }

  deleteWalletCard(organizationId: string, passId: string) {
    return this.change(organizationId, (rows) =>
      deleteWalletCard(this.store, rows, this.log, organizationId, passId),
    );
  }

  putWalletDevice(organizationId: string, device: StoredWalletDevice) {
    return this.change(organizationId, (rows) =>
      putWalletDevice(this.store, rows, this.log, organizationId, device),
    );
  }

  deleteWalletDevice(organizationId: string, key: WalletDeviceKey) {
    return this.change(organizationId, (rows) =>
      deleteWalletDevice(this.store, rows, this.log, organizationId, key),
    );
  }

  putWalletDeliveries(organizationId: string, deliveries: readonly NewWalletDelivery[]) {
    return this.change(organizationId, (rows) => putWalletDeliveries(rows, this.log, deliveries));
  }

  claimWalletDeliveries(organizationId: string, platform: WalletPlatform, claim: WalletClaim) {
    return this.change(organizationId, (rows) => claimWalletDeliveries(rows, this.log, platform, claim));
  }

  settleWalletDeliveries(
    organizationId: string,
    platform: WalletPlatform,
    lease: string,
    outcomes: readonly WalletOutcome[],
    now: number,
  ) {
    return this.change(organizationId, (rows) =>
      settleWalletDeliveries(rows, this.log, platform, lease, outcomes, now),
    );
  }

  putPicture(organizationId: string, picture: StoredPicture) {
    return this.fill(organizationId, (rows) => putPicture(rows, this.log, picture));
  }

  deletePicture(organizationId: string, hash: string) {
    return this.change(organizationId, (rows) => deletePicture(rows, this.log, hash));
  }

  private change<T>(organizationId: string, write: (rows: OrganizationRows) => T): Promise<T> {
    return this.gate(() => write(this.store.rows(organizationId)));
  }

  /** For the rows that an organization can begin with. */
  private fill<T>(organizationId: string, write: (rows: OrganizationRows) => T): Promise<T> {
    return this.gate(() => write(this.store.rowsToFill(organizationId, this.log)));
  }
}
