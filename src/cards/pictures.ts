import type { Step } from "../concurrency/step.js";
import { createLoyaltyError, validationFailed } from "../errors.js";
import type { Design, ReadDesign } from "../resources/design.js";
import { type PictureChoice, parsePictureChoice } from "../resources/fields/picture.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { PictureEntry } from "../storage/wallets.js";
import type { Tenant } from "../tenant/tenant.js";

/** An organization keeps at most this many pictures: above it, pictures that neither a design nor the settings show are removed. */
export const MAX_PICTURES = 200;

/** The pictures of a design, by the names of their fields. */
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
 * Keeps the pictures of a design in the transaction that stores it.
 * @returns the design as the interface shows it.
 * @throws {LoyaltyError} `validation_failed` for a hash of a picture that the organization does not have;
 *   `too_many_pictures` when designs show as many as it may have.
 */
export function* storeDesignPictures(
  tx: StorageTransaction,
  organizationId: string,
  design: ReadDesign,
  now: number,
): Step<Design> {
  const choices = listPictureChoices(design);
  yield* storePictures(tx, organizationId, choices, now);
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
 * Keeps pictures in the transaction that stores what shows them.
 * @throws {LoyaltyError} as {@link storeDesignPictures}, on the fields of the choices.
 */
export function* storePictures(
  tx: StorageTransaction,
  organizationId: string,
  choices: readonly [field: string, choice: PictureChoice][],
  now: number,
): Step<void> {
  if (choices.length === 0) return;
  const kept = yield* tx.listPictures(organizationId);
  const known = new Set(kept.map(({ hash }) => hash));
  const unknown = choices.filter(([, { hash, content }]) => content === null && !known.has(hash));
  if (unknown.length > 0) {
    throw validationFailed(
      Object.fromEntries(unknown.map(([field]) => [field, "doesn't match a picture of this organization"])),
    );
  }
  const added = new Map(
    choices.flatMap(([, { hash, content }]) =>
      content === null || known.has(hash) ? [] : [[hash, content]],
    ),
  );
  if (added.size === 0) return;
  const chosen = new Set(choices.map(([, { hash }]) => hash));
  yield* makeRoom(tx, organizationId, kept, kept.length + added.size - MAX_PICTURES, chosen);
  for (const [hash, { type, width, height, bytes }] of added) {
    yield* tx.putPicture(organizationId, { hash, type, width, height, bytes, createdAt: now });
  }
}

/** @param chosen stay, as do those that a design or the settings show. */
function* makeRoom(
  tx: StorageTransaction,
  organizationId: string,
  kept: readonly PictureEntry[],
  count: number,
  chosen: ReadonlySet<string>,
): Step<void> {
  if (count <= 0) return;
  const designs = (yield* tx.listTemplates(organizationId)).map(({ design }: StoredTemplate) => design ?? "");
  const shop = yield* tx.findSettings(organizationId);
  const showing = [...designs, shop?.logo ?? ""];
  const unused = kept.filter(({ hash }) => !chosen.has(hash) && !showing.some((text) => text.includes(hash)));
  if (unused.length < count) throw createLoyaltyError("too_many_pictures");
  for (const { hash } of unused.slice(0, count)) yield* tx.deletePicture(organizationId, hash);
}

/**
 * Returns a design with its pictures decoded for storage. They are decoded one at a time, before any transaction.
 * @throws {LoyaltyError} `validation_failed` on pictures that can't be decoded; `storage_unavailable` if too many wait.
 */
export async function decodeDesign<None extends null | undefined>(
  tenant: Tenant,
  design: ReadDesign | None,
): Promise<ReadDesign | None> {
  if (design == null) return design;
  const wrong: Record<string, string> = {};

  async function decoded(field: string, choice: PictureChoice | null): Promise<PictureChoice | null> {
    const picture = await decodePicture(tenant, choice);
    if (typeof picture !== "string") return picture;
    wrong[`design.${field}`] = picture;
    return null;
  }

  const { logo, icon, strip, stamps } = design;
  const read: ReadDesign = {
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
  if (Object.keys(wrong).length > 0) throw validationFailed(wrong);
  return read;
}

/**
 * Returns a picture decoded for storage, before any transaction.
 * @returns a message if the picture is not accepted.
 * @throws {LoyaltyError} `storage_unavailable` if too many wait.
 */
export async function decodePicture<None extends null | undefined>(
  { engine, organizationId, isJoining }: Tenant,
  choice: PictureChoice | None,
): Promise<PictureChoice | None | string> {
  if (choice == null || choice.content === null) return choice;
  const picture = await engine.pictures.decode(organizationId, choice.content, isJoining);
  return typeof picture === "string" ? picture : parsePictureChoice(picture);
}
