import { isLoyaltyError } from "loyalty-kit";

/** What callers get who can try again. */
export const unavailable = { name: "LoyaltyError", code: "storage_unavailable", status: 503 };

/** Resolves to whether it was done; false when it was refused with the one error that stands for trying again. */
export async function isDone(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isLoyaltyError(error, "storage_unavailable")) return false;
    throw error;
  }
}
