import { type LoyaltyOptions, LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { onTestFinished } from "vitest";
import { ManualClock } from "./manual-clock.js";

export interface Acme {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  readonly clock: ManualClock;
}

/** The organization "acme" in a new service, which is closed after the test. In memory unless a storage is given. */
export function openAcme(options: Partial<LoyaltyOptions> = {}): Acme {
  const clock = new ManualClock();
  const storage = options.storage ?? memoryStorage();
  const loyalty = new LoyaltyService({ clock: clock.read, onError: fail, ...options, storage });
  onTestFinished(() => loyalty.close());
  return { loyalty, acme: loyalty.organization("acme"), clock };
}

function fail(error: unknown): void {
  throw error;
}

let customers = 0;

/** An address that no other customer has. */
export function someEmail(): string {
  customers += 1;
  return `customer-${customers}@example.com`;
}
