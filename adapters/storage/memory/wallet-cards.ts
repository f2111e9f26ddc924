import { compareTexts } from "../../../src/base/values/text.js";
import { updated } from "../../../src/storage/record.js";
import {
  type OwnedWalletCard,
  type OwnedWalletDevice,
  type StoredWalletCard,
  type StoredWalletDevice,
  type WalletDeviceKey,
  type WalletOutcome,
  type WalletPlatform,
  walletCardRecord,
  walletJobs,
} from "../../../src/storage/wallets.js";
import { findQueue, removeJobs } from "./jobs.js";
import type { StoreWriteContext } from "./port-functions.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, freezeRowWithLists, requireRow } from "./store/rows.js";
import { buildDeviceKey, buildTokenKey, type HolderKey, type Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

export function walletCardsOf(
  { walletCards }: OrganizationRows,
  passIds: readonly string[],
): StoredWalletCard[] {
  return [...new Set(passIds)].sort(compareTexts).flatMap((passId) => walletCards.get(passId) ?? []);
}

export function walletCardsOfTemplate(
  { walletCards }: OrganizationRows,
  templateId: string | null,
  after: string,
  limit: number,
): StoredWalletCard[] {
  return [...walletCards.values()]
    .filter((card) => card.revokedAt === null && (templateId ?? card.templateId) === card.templateId)
    .filter(({ passId }) => passId > after)
    .sort(comparePasses)
    .slice(0, limit);
}

export function walletCardsWithMessage(
  { walletCards }: OrganizationRows,
  messageId: string,
  after: string,
  limit: number,
): StoredWalletCard[] {
  return [...walletCards.values()]
    .filter((card) => card.messageId === messageId && card.passId > after)
    .sort(comparePasses)
    .slice(0, limit);
}

export function walletDevicesOf(
  { walletDevices }: OrganizationRows,
  passIds: readonly string[],
): StoredWalletDevice[] {
  return [...new Set(passIds)].sort(compareTexts).flatMap((passId) => walletDevices.get(passId) ?? []);
}

export function findWalletPass(store: Store, passId: string): OwnedWalletCard | null {
  const organizationId = store.walletOwners.get(passId);
  if (organizationId === undefined) return null;
  return { organizationId, card: requireRow(store.rows(organizationId).walletCards, passId) };
}

export function walletPassesAfter(store: Store, after: string, limit: number): OwnedWalletCard[] {
  return listCardsAfter(store, after)
    .filter(({ card }) => card.revokedAt === null)
    .slice(0, limit);
}

export function walletCardsAfter(store: Store, after: string, limit: number): OwnedWalletCard[] {
  return listCardsAfter(store, after).slice(0, limit);
}

export function walletCardsOfDevice(
  store: Store,
  platform: WalletPlatform,
  deviceId: string,
  limit: number,
): OwnedWalletCard[] {
  return listRegisteredDevices(store, buildDeviceKey(platform, deviceId))
    .slice(0, limit)
    .map(({ organizationId, device }) => ({
      organizationId,
      card: requireRow(store.rows(organizationId).walletCards, device.passId),
    }));
}

export function walletDevicesOfToken(
  store: Store,
  platform: WalletPlatform,
  pushToken: string,
  limit: number,
): OwnedWalletDevice[] {
  return listRegisteredDevices(store, buildTokenKey(platform, pushToken)).slice(0, limit);
}

export function organizationsWithWallets(store: Store, after: string, limit: number): string[] {
  return [...store.all()]
    .flatMap(([id, rows]) =>
      findQueue(rows, walletJobs) !== null && compareTexts(id, after) > 0 ? [id] : [],
    )
    .sort(compareTexts)
    .slice(0, limit);
}

export function insertWalletCard(
  { store, log, organizationId }: StoreWriteContext,
  card: StoredWalletCard,
): void {
  const rows = store.rowsForInsert(organizationId, log);
  log.add(rows.walletCards, card.passId, freezeRowWithLists(card));
  log.set(rows.walletDevices, card.passId, []);
  log.set(store.walletOwners, card.passId, organizationId);
}

export function updateWalletCards(
  { walletCards }: OrganizationRows,
  log: UndoLog,
  cards: readonly StoredWalletCard[],
): void {
  for (const card of cards) {
    const previous = walletCards.get(card.passId);
    if (previous === undefined) continue;
    log.set(walletCards, card.passId, freezeRowWithLists(updated(walletCardRecord, previous, card)));
  }
}

export function deleteWalletCard({ store, log, organizationId }: StoreWriteContext, passId: string): boolean {
  const rows = store.rows(organizationId);
  if (!rows.walletCards.has(passId)) return false;
  for (const device of rows.walletDevices.get(passId) ?? [])
    removeFromHolders({ store, log, organizationId }, device);
  removeJobs(rows, log, walletJobs, passId);
  log.delete(rows.walletDevices, passId);
  log.delete(store.walletOwners, passId);
  return log.delete(rows.walletCards, passId);
}

export function putWalletDevice(
  { store, log, organizationId }: StoreWriteContext,
  device: StoredWalletDevice,
): void {
  const { walletDevices } = store.rows(organizationId);
  const devices = requireRow(walletDevices, device.passId);
  const previous = devices.find((each) => isSameDevice(each, device));
  if (previous !== undefined) removeFromHolders({ store, log, organizationId }, previous);
  const after = freezeRow({ ...device, createdAt: previous?.createdAt ?? device.createdAt });
  const otherDevices = devices.filter((each) => each !== previous);
  log.set(walletDevices, device.passId, [...otherDevices, after].sort(compareDevices));
  for (const key of listHolderKeys(device)) {
    log.set(store.walletHolders, key, [
      ...(store.walletHolders.get(key) ?? []),
      [organizationId, device.passId, device.deviceId],
    ]);
  }
}

export function deleteWalletDevice(
  { store, log, organizationId }: StoreWriteContext,
  key: WalletDeviceKey,
): boolean {
  const { walletDevices } = store.rows(organizationId);
  const devices = walletDevices.get(key.passId) ?? [];
  const device = devices.find((each) => isSameDevice(each, key));
  if (device === undefined) return false;
  removeFromHolders({ store, log, organizationId }, device);
  log.set(
    walletDevices,
    key.passId,
    devices.filter((each) => each !== device),
  );
  return true;
}

export function recordNotified(
  { walletDevices }: OrganizationRows,
  log: UndoLog,
  platform: WalletPlatform,
  outcomes: readonly WalletOutcome[],
): void {
  for (const { passId, deviceIds, revision } of outcomes) {
    const devices = (walletDevices.get(passId) ?? []).map((device) =>
      device.platform === platform && deviceIds.includes(device.deviceId)
        ? freezeRow({ ...device, notifiedRevision: revision })
        : device,
    );
    if (deviceIds.length > 0 && devices.length > 0) log.set(walletDevices, passId, devices);
  }
}

function listCardsAfter(store: Store, after: string): OwnedWalletCard[] {
  return [...store.walletOwners]
    .filter(([passId]) => passId > after)
    .map(([passId, organizationId]) => ({
      organizationId,
      card: requireRow(store.rows(organizationId).walletCards, passId),
    }))
    .sort((a, b) => comparePasses(a.card, b.card));
}

/** Returns the devices registered under a key, sorted by organization, pass and device. */
function listRegisteredDevices(store: Store, key: HolderKey): OwnedWalletDevice[] {
  return (store.walletHolders.get(key) ?? [])
    .toSorted((a, b) => compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]) || compareTexts(a[2], b[2]))
    .flatMap(([organizationId, passId, deviceId]) =>
      (store.rows(organizationId).walletDevices.get(passId) ?? [])
        .filter((device) => device.deviceId === deviceId && device.state === "registered")
        .filter((device) => listHolderKeys(device).includes(key))
        .map((device) => ({ organizationId, device })),
    );
}

function removeFromHolders(
  { store: { walletHolders }, log, organizationId }: StoreWriteContext,
  device: StoredWalletDevice,
): void {
  for (const key of listHolderKeys(device)) {
    const remainingHolders = (walletHolders.get(key) ?? []).filter(
      ([owner, passId, deviceId]) =>
        owner !== organizationId || passId !== device.passId || deviceId !== device.deviceId,
    );
    if (remainingHolders.length > 0) log.set(walletHolders, key, remainingHolders);
    else log.delete(walletHolders, key);
  }
}

function listHolderKeys({ platform, deviceId, pushToken }: StoredWalletDevice): HolderKey[] {
  const deviceKey = buildDeviceKey(platform, deviceId);
  return pushToken === null ? [deviceKey] : [deviceKey, buildTokenKey(platform, pushToken)];
}

function isSameDevice(a: WalletDeviceKey, b: WalletDeviceKey): boolean {
  return a.platform === b.platform && a.deviceId === b.deviceId;
}

function compareDevices(a: WalletDeviceKey, b: WalletDeviceKey): number {
  return compareTexts(a.platform, b.platform) || compareTexts(a.deviceId, b.deviceId);
}

function comparePasses(a: { readonly passId: string }, b: { readonly passId: string }): number {
  return compareTexts(a.passId, b.passId);
}
