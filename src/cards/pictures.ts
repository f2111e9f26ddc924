import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, validationFailed } from "../base/errors.js";
import { type PictureChoice, parsePictureChoice } from "../base/fields/picture.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { PictureEntry } from "../storage/wallets.js";
import type { Design, ReadDesign } from "./design-schema.js";

/**
 * Maximum number of pictures per organization. If new pictures would exceed the limit, older pictures that no design or setting
 * uses are removed.
 */
export const MAX_PICTURES = 200;

/** Lists a design's pictures with their field names. */
function listPictureChoices({
  logo,
  icon,
  strip,
  stamps,
}: ReadDesign): [field: string, choice: PictureChoice][] {
  const { filled, empty } = stamps;
  const named = { logo, icon, strip, "stamps.filled": filled, "stamps.empty": empty };
  return Object.entries(named).flatMap(([field, choice]) =>
    choice == null ? [] : [[`design.${field}`, choice]],
  );
}

/**
 * Stores a design's pictures in the transaction that stores the design.
 * @returns the design as the API returns it.
 * @throws {LoyaltyError} `validation_failed` if a hash doesn't match any of the organization's pictures, or `too_many_pictures`
 *   if the pictures in use and the new ones together would exceed the limit.
 */
export function* storeDesignPictures(tx: StorageTransaction, design: ReadDesign, now: number): Step<Design> {
  const choices = listPictureChoices(design);
  yield* storePictures(tx, choices, now);
  const { logo, icon, strip, stamps } = design;
  return {
    ...design,
    logo: logo?.hash ?? null,
    icon: icon?.hash ?? null,
    strip: strip?.hash ?? null,
    stamps: {
      shape: stamps.shape,
      filled: stamps.filled?.hash ?? null,
      empty: stamps.empty?.hash ?? null,
    },
    texts: design.texts.map((texts) => ({
      ...texts,
      title: texts.title ?? null,
      description: texts.description ?? null,
      stampsLabel: texts.stampsLabel ?? null,
      rewardsLabel: texts.rewardsLabel ?? null,
      toGo: texts.toGo ?? null,
      rewardReady: texts.rewardReady ?? null,
      terms: texts.terms ?? null,
    })),
    locations: design.locations.map((location) => ({ ...location, text: location.text ?? null })),
    expiresAt: design.expiresAt ?? null,
  };
}

/**
 * Stores pictures in the transaction that stores the design or settings that use them.
 * @throws {LoyaltyError} the same errors as {@link storeDesignPictures}, keyed by field name.
 */
export function* storePictures(
  tx: StorageTransaction,
  choices: readonly [field: string, choice: PictureChoice][],
  now: number,
): Step<void> {
  if (choices.length === 0) return;
  const storedPictures = yield* tx.listPictures();
  const storedHashes = new Set(storedPictures.map(({ hash }) => hash));
  const missing = choices.filter(([, { hash, content }]) => content === null && !storedHashes.has(hash));
  if (missing.length > 0) {
    throw validationFailed(
      Object.fromEntries(missing.map(([field]) => [field, "doesn't match a picture of this organization"])),
    );
  }
  const newPictures = new Map(
    choices.flatMap(([, { hash, content }]) =>
      content === null || storedHashes.has(hash) ? [] : [[hash, content]],
    ),
  );
  if (newPictures.size === 0) return;
  const chosenHashes = new Set(choices.map(([, { hash }]) => hash));
  yield* evictUnused(
    tx,
    storedPictures,
    storedPictures.length + newPictures.size - MAX_PICTURES,
    chosenHashes,
  );
  for (const [hash, { type, width, height, bytes }] of newPictures) {
    yield* tx.putPicture({ hash, type, width, height, bytes, createdAt: now });
  }
}

/**
 * Removes old pictures to make room for new ones.
 * @param chosenHashes hashes of pictures to keep, in addition to the pictures that a design or the settings use.
 */
function* evictUnused(
  tx: StorageTransaction,
  storedPictures: readonly PictureEntry[],
  count: number,
  chosenHashes: ReadonlySet<string>,
): Step<void> {
  if (count <= 0) return;
  const designs = (yield* tx.listTemplates()).map(({ design }: StoredTemplate) => design ?? "");
  const settings = yield* tx.findSettings();
  const referencing = [...designs, settings?.logo ?? ""];
  const unused = storedPictures.filter(
    ({ hash }) => !chosenHashes.has(hash) && !referencing.some((text) => text.includes(hash)),
  );
  if (unused.length < count) throw createLoyaltyError("too_many_pictures");
  for (const { hash } of unused.slice(0, count)) yield* tx.deletePicture(hash);
}

/**
 * Decodes a design's pictures for storage, one at a time. Must be called before the transaction begins.
 * @throws {LoyaltyError} `validation_failed` for pictures that can't be decoded, or `storage_unavailable` if too many pictures are
 *   waiting to be decoded.
 */
export async function decodeDesign<None extends null | undefined>(
  tenant: Tenant,
  design: ReadDesign | None,
): Promise<ReadDesign | None> {
  if (design == null) return design;
  const errors: Record<string, string> = {};

  async function decoded(field: string, choice: PictureChoice | null): Promise<PictureChoice | null> {
    const picture = await decodePicture(tenant, choice);
    if (typeof picture !== "string") return picture;
    errors[`design.${field}`] = picture;
    return null;
  }

  const { logo, icon, strip, stamps } = design;
  const decodedDesign: ReadDesign = {
    ...design,
    logo: await decoded("logo", logo),
    icon: await decoded("icon", icon),
    strip: await decoded("strip", strip),
    stamps: {
      ...stamps,
      filled: await decoded("stamps.filled", stamps.filled),
      empty: await decoded("stamps.empty", stamps.empty),
    },
  };
  if (Object.keys(errors).length > 0) throw validationFailed(errors);
  return decodedDesign;
}

/**
 * Decodes a picture for storage. Must be called before the transaction begins.
 * @returns the decoded picture, or an error message if the picture is rejected.
 * @throws {LoyaltyError} `storage_unavailable` if too many pictures are waiting to be decoded.
 */
export async function decodePicture<None extends null | undefined>(
  { engine, organizationId, isJoining }: Tenant,
  choice: PictureChoice | None,
): Promise<PictureChoice | None | string> {
  if (choice == null || choice.content === null) return choice;
  const picture = await engine.queues.pictures.decode(organizationId, choice.content, isJoining);
  return typeof picture === "string" ? picture : parsePictureChoice(picture);
}
