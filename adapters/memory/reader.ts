import type { ContactQuery } from "../../src/storage/contacts.js";
import type { Counted } from "../../src/storage/counts.js";
import type { StorageReader } from "../../src/storage/storage-adapter.js";
import type { WalletPlatform } from "../../src/storage/wallets.js";
import type { DeliveryQuery } from "../../src/storage/webhooks.js";
import { findApiTokenByHash } from "./api-tokens.js";
import { findApp } from "./apps.js";
import { listContacts } from "./contacts.js";
import { eventsById, headOf, listEvents } from "./events.js";
import { findGrantTokenByHash, listGrants } from "./grants.js";
import { listStampEntries, passesOfUsers } from "./passes.js";
import { findPicture, listPictures } from "./pictures.js";
import { readSegments, verifySegments } from "./segments.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { byKey } from "./store/rows.js";
import type { Store } from "./store/store.js";
import { slugsOfUsers, tagsOfUser } from "./tags.js";
import { hasPasses } from "./templates.js";
import { findUser, usersAt, usersByOrdinal } from "./users.js";
import {
  findWalletPass,
  walletCardsOfDevice,
  walletCardsOfTemplate,
  walletDevicesOf,
  walletDevicesOfToken,
} from "./wallet-cards.js";
import { walletQueuesToServe } from "./wallet-deliveries.js";
import { attemptsOf, findDelivery, listDeliveries, pendingDeliveries } from "./webhook-deliveries.js";
import { endpointsToServe, findWebhookEndpoint, listWebhookEndpoints } from "./webhook-endpoints.js";

/** Answers from the rows when they may be looked at: at once, later, or never (then it rejects). */
export type Gate = <T>(look: () => T) => Promise<T>;

export class MemoryReader implements StorageReader {
  constructor(
    protected readonly store: Store,
    protected readonly gate: Gate,
  ) {}

  findUser(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => findUser(rows, id));
  }

  findUserByExternalId(organizationId: string, externalId: string) {
    return this.look(
      organizationId,
      (rows) => byKey(rows.ordinalsByExternalId, rows.users, externalId)?.user ?? null,
    );
  }

  findUserByEmail(organizationId: string, emailFold: string) {
    return this.look(
      organizationId,
      (rows) => byKey(rows.ordinalsByEmail, rows.users, emailFold)?.user ?? null,
    );
  }

  listUsers(organizationId: string, after: number, limit: number) {
    return this.look(organizationId, (rows) => usersAt(rows, rows.everybody.above(after, limit)));
  }

  usersByOrdinal(organizationId: string, ordinals: readonly number[]) {
    return this.look(organizationId, (rows) => usersByOrdinal(rows, ordinals));
  }

  listContacts(organizationId: string, query: ContactQuery) {
    return this.look(organizationId, (rows) => listContacts(rows, query));
  }

  findTag(organizationId: string, slug: string) {
    return this.look(organizationId, (rows) => byKey(rows.tagIdsBySlug, rows.tags, slug));
  }

  listTags(organizationId: string) {
    return this.look(organizationId, (rows) => [...rows.tags.values()].sort(byAge));
  }

  tagsOfUser(organizationId: string, userOrdinal: number) {
    return this.look(organizationId, (rows) => tagsOfUser(rows, userOrdinal));
  }

  slugsOfUsers(organizationId: string, userOrdinals: readonly number[]) {
    return this.look(organizationId, (rows) => slugsOfUsers(rows, userOrdinals));
  }

  usersOfTag(organizationId: string, tagId: string, after: number, limit: number) {
    return this.look(organizationId, (rows) =>
      usersAt(rows, rows.holders.get(tagId)?.above(after, limit) ?? []),
    );
  }

  readSegments(organizationId: string, slugs: readonly string[]) {
    return this.look(organizationId, (rows) => readSegments(rows, slugs));
  }

  verifySegments(organizationId: string) {
    return this.look(organizationId, verifySegments);
  }

  findTemplate(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => rows.templates.get(id) ?? null);
  }

  listTemplates(organizationId: string) {
    return this.look(organizationId, (rows) => [...rows.templates.values()].sort(byAge));
  }

  templateHasPasses(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => hasPasses(rows, id));
  }

  findPass(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => rows.passes.get(id) ?? null);
  }

  findPassByCode(organizationId: string, code: string) {
    return this.look(organizationId, (rows) => byKey(rows.passIdsByCode, rows.passes, code));
  }

  passesOfUsers(organizationId: string, userIds: readonly string[]) {
    return this.look(organizationId, (rows) => passesOfUsers(rows, userIds));
  }

  listStampEntries(organizationId: string, passId: string, offset: number, limit: number) {
    return this.look(organizationId, (rows) => listStampEntries(rows, passId, offset, limit));
  }

  newestEventPosition(organizationId: string) {
    return this.look(organizationId, ({ lastPosition }) => lastPosition);
  }

  listEvents(organizationId: string, types: readonly string[] | null, after: number, limit: number) {
    return this.look(organizationId, (rows) => listEvents(rows, types, after, limit));
  }

  listApiTokens(organizationId: string) {
    return this.look(organizationId, (rows) => [...rows.apiTokens.values()].sort(byAge));
  }

  findApiToken(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => rows.apiTokens.get(id) ?? null);
  }

  findApiTokenByHash(hash: string) {
    return this.gate(() => findApiTokenByHash(this.store, hash));
  }

  findAnswer(organizationId: string, keyHash: string) {
    return this.look(organizationId, (rows) => rows.answers.get(keyHash) ?? null);
  }

  listApps(organizationId: string) {
    return this.look(organizationId, (rows) => [...rows.apps.values()].sort(byAge));
  }

  findApp(id: string) {
    return this.gate(() => findApp(this.store, id));
  }

  findGrantTokenByHash(hash: string) {
    return this.gate(() => findGrantTokenByHash(this.store, hash));
  }

  listGrants(organizationId: string) {
    return this.gate(() => listGrants(this.store, organizationId));
  }

  listWebhookEndpoints(organizationId: string) {
    return this.look(organizationId, listWebhookEndpoints);
  }

  findWebhookEndpoint(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => findWebhookEndpoint(rows, id));
  }

  listDeliveries(organizationId: string, endpointId: string, query: DeliveryQuery) {
    return this.look(organizationId, (rows) => listDeliveries(rows, endpointId, query));
  }

  findDelivery(organizationId: string, id: string) {
    return this.look(organizationId, (rows) => findDelivery(rows, id));
  }

  attemptsOf(organizationId: string, deliveryIds: readonly string[]) {
    return this.look(organizationId, (rows) => attemptsOf(rows, deliveryIds));
  }

  listEventHeads(organizationId: string, types: readonly string[] | null, after: number, limit: number) {
    return this.look(organizationId, (rows) => listEvents(rows, types, after, limit).map(headOf));
  }

  eventsById(organizationId: string, eventIds: readonly string[]) {
    return this.look(organizationId, (rows) => eventsById(rows, eventIds));
  }

  pendingDeliveries(organizationId: string) {
    return this.look(organizationId, pendingDeliveries);
  }

  endpointsToServe(now: number, limit: number, since: number) {
    return this.gate(() => endpointsToServe(this.store, now, limit, since));
  }

  countOf(organizationId: string, kind: Counted) {
    return this.look(organizationId, (rows) => rows[kind].size);
  }

  findWalletCard(organizationId: string, passId: string) {
    return this.look(organizationId, ({ walletCards }) => walletCards.get(passId) ?? null);
  }

  walletCardsOfTemplate(organizationId: string, templateId: string | null, after: string, limit: number) {
    return this.look(organizationId, (rows) => walletCardsOfTemplate(rows, templateId, after, limit));
  }

  walletDevicesOf(organizationId: string, passIds: readonly string[]) {
    return this.look(organizationId, (rows) => walletDevicesOf(rows, passIds));
  }

  findWalletQueue(organizationId: string) {
    return this.look(organizationId, ({ walletQueue }) => walletQueue);
  }

  listPictures(organizationId: string) {
    return this.look(organizationId, listPictures);
  }

  findWalletPass(passId: string) {
    return this.gate(() => findWalletPass(this.store, passId));
  }

  walletCardsOfDevice(platform: WalletPlatform, deviceId: string, limit: number) {
    return this.gate(() => walletCardsOfDevice(this.store, platform, deviceId, limit));
  }

  walletDevicesOfToken(platform: WalletPlatform, pushToken: string, limit: number) {
    return this.gate(() => walletDevicesOfToken(this.store, platform, pushToken, limit));
  }

  walletQueuesToServe(now: number, limit: number) {
    return this.gate(() => walletQueuesToServe(this.store, now, limit));
  }

  findPicture(hash: string) {
    return this.gate(() => findPicture(this.store, hash));
  }

  isEmpty() {
    return this.gate(() => this.store.isEmpty());
  }

  private look<T>(organizationId: string, read: (rows: OrganizationRows) => T): Promise<T> {
    return this.gate(() => read(this.store.rows(organizationId)));
  }
}
