import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampCard } from "../../../../src/resources/stamps.js";
import type { User } from "../../../../src/resources/user.js";
import { get } from "../app/call.js";
import { may } from "../app/session.js";

/** A card at the till: whose it is, and how it stands. */
export interface FoundCard {
  readonly pass: WalletPassDetail;
  /** `null` where the token may not see customers. */
  readonly user: User | null;
  /** `null` for a card without stamps. */
  readonly state: StampCard | null;
}

/** Finds a card by what a scanner read or somebody typed. @throws {CallError} 404 when it is none of ours. */
export async function cardByCode(code: string, signal?: AbortSignal): Promise<FoundCard> {
  const query = new URLSearchParams({ qrCodeValue: code.trim() });
  return cardOf(await get<WalletPassDetail>(`/v1/walletpasses/lookup?${query}`, signal), signal);
}

export async function cardOf(pass: WalletPassDetail, signal?: AbortSignal): Promise<FoundCard> {
  const [user, state] = await Promise.all([
    may("user:read") ? get<User>(`/v1/users/${pass.userId}`, signal) : null,
    pass.stampProgress === null ? null : get<StampCard>(`/v1/walletpasses/${pass.id}/stamps`, signal),
  ]);
  return { pass, user, state };
}
