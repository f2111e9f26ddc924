import type { Selectable } from "kysely";
import type { StoredCard, StoredPass } from "../../../src/storage/passes.js";
import type { Slot } from "../sql/prepared.js";
import type { Tables } from "../sql/tables.js";

type PassRow = Omit<Selectable<Tables["loyalty_wallet_passes"]>, "organization_id" | "user_ordinal"> & {
  readonly user_id: string;
};

/** All but the user's id. */
export const ownColumns = [
  "loyalty_wallet_passes.id",
  "loyalty_wallet_passes.template_id",
  "loyalty_wallet_passes.code",
  "loyalty_wallet_passes.is_preview_pass",
  "loyalty_wallet_passes.installation_status",
  "loyalty_wallet_passes.max_stamps",
  "loyalty_wallet_passes.current_stamps",
  "loyalty_wallet_passes.times_completed",
  "loyalty_wallet_passes.rewards_available",
  "loyalty_wallet_passes.total_stamps_collected",
  "loyalty_wallet_passes.last_stamp_at",
  "loyalty_wallet_passes.entries",
  "loyalty_wallet_passes.created_at",
  "loyalty_wallet_passes.updated_at",
] as const;

export const passColumns = ["loyalty_users.id as user_id", ...ownColumns] as const;

export function passOf(row: PassRow): StoredPass {
  return {
    id: row.id,
    userId: row.user_id,
    templateId: row.template_id,
    code: row.code,
    isPreviewPass: row.is_preview_pass === 1,
    installationStatus: row.installation_status,
    card: cardOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The values of {@link cardColumns}: all null for a pass without stamps. */
export function cardValues(card: StoredCard | null) {
  return {
    maxStamps: card?.maxStamps ?? null,
    currentStamps: card?.currentStamps ?? null,
    timesCompleted: card?.timesCompleted ?? null,
    rewardsAvailable: card?.rewardsAvailable ?? null,
    totalStampsCollected: card?.totalStampsCollected ?? null,
    lastStampAt: card?.lastStampAt ?? null,
    entries: card?.entries ?? null,
  };
}

/** The same by column. */
export function cardRow(card: StoredCard | null) {
  const values = cardValues(card);
  return {
    max_stamps: values.maxStamps,
    current_stamps: values.currentStamps,
    times_completed: values.timesCompleted,
    rewards_available: values.rewardsAvailable,
    total_stamps_collected: values.totalStampsCollected,
    last_stamp_at: values.lastStampAt,
    entries: values.entries,
  };
}

/** The columns of a pass's card, to be written. */
export function cardColumns(slot: Slot<ReturnType<typeof cardValues>>) {
  return {
    max_stamps: slot("maxStamps"),
    current_stamps: slot("currentStamps"),
    times_completed: slot("timesCompleted"),
    rewards_available: slot("rewardsAvailable"),
    total_stamps_collected: slot("totalStampsCollected"),
    last_stamp_at: slot("lastStampAt"),
    entries: slot("entries"),
  };
}

function cardOf(row: PassRow): StoredCard | null {
  const { max_stamps, current_stamps, times_completed, rewards_available, total_stamps_collected, entries } =
    row;
  if (
    max_stamps === null ||
    current_stamps === null ||
    times_completed === null ||
    rewards_available === null ||
    total_stamps_collected === null ||
    entries === null
  ) {
    return null;
  }
  return {
    maxStamps: max_stamps,
    currentStamps: current_stamps,
    timesCompleted: times_completed,
    rewardsAvailable: rewards_available,
    totalStampsCollected: total_stamps_collected,
    lastStampAt: row.last_stamp_at,
    entries,
  };
}
