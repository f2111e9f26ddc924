import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { SubscriptionStatus } from "./subscriptions.js";
import type { WalletPlatform } from "./wallets.js";

/** A test of a metadata value. Values of a different JSON type don't match. */
export type MetadataTest =
  /** The value is present and not `null`. */
  | { readonly is: "there" }
  /** The value is this string, compared in NFC. */
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "flag"; readonly value: boolean }
  /** The value is a number between `min` and `max`, both inclusive. */
  | { readonly is: "number"; readonly min: number | null; readonly max: number | null }
  /** The value is a date between `from` (inclusive) and `before` (exclusive), which are numbers such as 20240531. */
  | { readonly is: "date"; readonly from: number | null; readonly before: number | null }
  /** The value is a date on one of these days of the year, which are numbers such as 531 for May 31. */
  | { readonly is: "dayOfYear"; readonly days: readonly number[] };

/** A test of a user's behavior or profile. A `templateId` of `null` means any template. */
export type BehaviorTest =
  /** At least one card has a number of stamps, rewards or completions within both inclusive bounds. */
  | {
      readonly of: "stamps" | "rewards" | "completions";
      readonly templateId: string | null;
      readonly min: number;
      readonly max: number | null;
    }
  /**
   * The n-th newest visit (1 to 11) across all cards is between `from` (inclusive) and `before` (exclusive), both whole seconds.
   */
  | {
      readonly of: "visit";
      readonly templateId: string | null;
      readonly nth: number;
      readonly since: number | null;
      readonly before: number | null;
    }
  /** The user was created between `from` (inclusive) and `before` (exclusive). */
  | { readonly of: "joined"; readonly from: number | null; readonly before: number | null }
  | { readonly of: "metadata"; readonly path: readonly string[]; readonly value: MetadataTest }
  /** The profile field is not `null`. */
  | { readonly of: "field"; readonly name: "phone" | "name" | "externalId" }
  /**
   * A device on this platform has one of the user's cards. For all platforms, a card with installation status `INSTALLED` counts
   * too.
   */
  | {
      readonly of: "wallet";
      readonly platform: WalletPlatform | null;
      readonly templateId: string | null;
    }
  | {
      readonly of: "subscription";
      readonly channel: "email" | "wallet";
      readonly status: SubscriptionStatus;
    }
  /** The user's language is this one, or a more specific tag that begins with it. */
  | { readonly of: "language"; readonly language: string };

export interface BehaviorReads {
  /**
   * Returns the set of matching users for each test, all from the same committed state. The sets contain only ordinals of existing
   * users.
   */
  matchBehavior(organizationId: string, tests: readonly BehaviorTest[]): Step<readonly Bitmap[]>;
}
