import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { User } from "../../../../src/resources/user.js";
import { createCalls } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import type { TillCard } from "./found-card.js";

/** How long to wait for a response, in milliseconds. After that, the till behaves as if it were offline. */
const WITHIN_MS = 4_000;

/** API calls for the till, with a short timeout. */
export const tillCalls = createCalls({ within: WITHIN_MS });

/**
 * Looks up a card by its scanned or typed code.
 * @throws {CallError} with status 404 if there is no such card.
 */
export async function cardByCode(code: string): Promise<TillCard> {
  const pass = await tillCalls.passes.lookup(code.trim());
  const { stampProgress: progress, rewardsAvailable } = pass;
  const state = progress === null ? null : { ...progress, rewardsAvailable: rewardsAvailable ?? 0 };
  return { pass, user: await readOwner(pass), state };
}

async function readOwner({ userId }: WalletPassDetail): Promise<User | null> {
  return hasScopes("user:read") ? tillCalls.users.get(userId) : null;
}
