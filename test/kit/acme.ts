import assert from "node:assert/strict";
import { type LoyaltyOptions, LoyaltyService, type Organization, type User, type Users } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, onTestFinished } from "vitest";
import { ManualClock } from "./manual-clock.js";

export interface Acme {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  readonly clock: ManualClock;
}

/**
 * Opens the organization "acme" in a new service, which is closed after the test. Default storage: in memory. Errors
 * outside any caller's path fail the test, unless the options have an `onError` of their own.
 */
export function openAcme(options: Partial<LoyaltyOptions> = {}): Acme {
  const clock = new ManualClock();
  const storage = options.storage ?? memoryStorage();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const loyalty = new LoyaltyService({ clock: clock.read, onError, ...options, storage });
  onTestFinished(async () => {
    await loyalty.close();
    expect(errors).toEqual([]);
  });
  return { loyalty, acme: loyalty.organization("acme"), clock };
}

let customers = 0;

/** Returns an email address that no other customer has. */
export function someEmail(): string {
  customers += 1;
  return `customer-${customers}@example.com`;
}

/** Returns the user with this email. Throws if there is none. */
export async function getByEmail(
  users: Pick<Users, "find">,
  { email }: { readonly email: string },
): Promise<User> {
  const user = await users.find({ email });
  assert.ok(user, `there is no ${email}`);
  return user;
}
