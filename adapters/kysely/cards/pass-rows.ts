import type { PassWithOwner, StoredPass, StoredStampCard } from "../../../src/storage/passes.js";
import type { SqlRow } from "../sql/columns.js";
import type { tables } from "../sql/tables.js";

type PassRow = SqlRow<(typeof tables)["walletPasses"]["record"]["columns"]>;

export function passOf(userId: string, row: PassRow): StoredPass {
  return {
    id: row.id,
    userId,
    templateId: row.templateId,
    code: row.code,
    isPreviewPass: row.isPreviewPass === 1,
    installationStatus: row.installationStatus,
    card: cardOf(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

// Each field by its name: every stamp makes one, and V8 takes many times as long for an object of a spread and more fields.
export function heldOf(pass: StoredPass, userOrdinal: number, passesOfUser: number): PassWithOwner {
  return {
    id: pass.id,
    userId: pass.userId,
    templateId: pass.templateId,
    code: pass.code,
    isPreviewPass: pass.isPreviewPass,
    installationStatus: pass.installationStatus,
    card: pass.card,
    createdAt: pass.createdAt,
    updatedAt: pass.updatedAt,
    userOrdinal,
    passesOfUser,
  };
}

/** Gives the columns of a card: all `null` for a pass without stamps. */
export function cardValues(card: StoredStampCard | null) {
  return {
    maxStamps: card?.maxStamps ?? null,
    currentStamps: card?.currentStamps ?? null,
    timesCompleted: card?.timesCompleted ?? null,
    rewardsAvailable: card?.rewardsAvailable ?? null,
    totalStampsCollected: card?.totalStampsCollected ?? null,
    lastStampAt: card?.lastStampAt ?? null,
    visits: card?.visits ?? null,
    entries: card?.entries ?? null,
  };
}

/** Gives the columns of a pass, whose user is known by ordinal. */
export function rowOf({ card, ...pass }: StoredPass, userOrdinal: number) {
  return { ...pass, ...cardValues(card), userOrdinal };
}

function cardOf(row: PassRow): StoredStampCard | null {
  const {
    maxStamps,
    currentStamps,
    timesCompleted,
    rewardsAvailable,
    totalStampsCollected,
    visits,
    entries,
  } = row;
  if (
    maxStamps === null ||
    currentStamps === null ||
    timesCompleted === null ||
    rewardsAvailable === null ||
    totalStampsCollected === null ||
    entries === null ||
    visits === null
  ) {
    return null;
  }
  const { lastStampAt } = row;
  return {
    maxStamps,
    currentStamps,
    timesCompleted,
    rewardsAvailable,
    totalStampsCollected,
    lastStampAt,
    visits,
    entries,
  };
}
