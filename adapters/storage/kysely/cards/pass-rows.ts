import type { StoredPass, StoredStampCard } from "../../../../src/storage/passes.js";
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

/** Returns the values of a pass's stamp card columns. All values are `null` if the pass has no stamp card. */
export function toCardColumns(card: StoredStampCard | null) {
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

/** Converts a pass to its row. The row refers to the user by ordinal instead of by ID. */
export function toPassRow({ card, ...pass }: StoredPass, userOrdinal: number) {
  return { ...pass, ...toCardColumns(card), userOrdinal };
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
