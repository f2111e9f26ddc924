import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampCard } from "../../../../src/resources/stamps.js";
import type { User } from "../../../../src/resources/user.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";

/** A card at the till, with its owner and its stamps. */
export interface FoundCard {
  readonly pass: WalletPassDetail;
  /** `null` where the token may not see customers. */
  readonly user: User | null;
  /** `null` for a card without stamps. */
  readonly state: StampCard | null;
}

/** Finds a card by what a scanner read or somebody typed. @throws {CallError} 404 when it is none of ours. */
export async function cardByCode(code: string): Promise<FoundCard> {
  return cardOf(await api.passes.lookup(code.trim()));
}

export async function cardOf(pass: WalletPassDetail): Promise<FoundCard> {
  const [user, state] = await Promise.all([
    may("user:read") ? api.users.get(pass.userId) : null,
    pass.stampProgress === null ? null : api.stamps.state(pass.id),
  ]);
  return { pass, user, state };
}
