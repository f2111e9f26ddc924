import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { SubscriptionStatus } from "./subscriptions.js";
import type { WalletPlatform } from "./wallets.js";

/** A test of a metadata value. Values of any other JSON type don't match. */
export type MetadataTest =
  /** Present, and not `null`. */
  | { readonly is: "there" }
  /** The string, in NFC. */
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "flag"; readonly value: boolean }
  /** A number between `min` and `max`, both inclusive. */
  | { readonly is: "number"; readonly min: number | null; readonly max: number | null }
  /** A date between `from` (inclusive) and `before` (exclusive), each a number such as 20240531. */
  | { readonly is: "date"; readonly from: number | null; readonly before: number | null }
  /** A date on one of these days of the year, each a number such as 531 for May 31. */
  | { readonly is: "dayOfYear"; readonly days: readonly number[] };

/** A test of a user's behavior or profile. `templateId: null` means every template. */
export type BehaviorTest =
  /** At least one card's number of stamps, rewards or completions is within both inclusive bounds. */
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
  /** Created between `from` (inclusive) and `before` (exclusive). */
  | { readonly of: "joined"; readonly from: number | null; readonly before: number | null }
  | { readonly of: "metadata"; readonly path: readonly string[]; readonly value: MetadataTest }
  /** The field is not `null`. */
  | { readonly of: "field"; readonly name: "phone" | "name" | "externalId" }
  /** A device of the platform has a card; for all platforms, a card with installation status `INSTALLED` counts too. */
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
  /** The language, or a more specific tag that begins with it. */
  | { readonly of: "language"; readonly language: string };

export interface BehaviorReads {
  /** Returns the users who match each test, all from the same committed state. Bits without a user are not set. */
  matchBehavior(organizationId: string, tests: readonly BehaviorTest[]): Step<readonly Bitmap[]>;
}
