import { isLoyaltyError } from "loyalty-kit";

/** The error of a call that can be retried. */
export const unavailable = { name: "LoyaltyError", code: "storage_unavailable", status: 503 };

/** Resolves to whether the call succeeded; false if it was refused with the one error that can be retried. */
export async function isDone(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isLoyaltyError(error, "storage_unavailable")) return false;
    throw error;
  }
}
