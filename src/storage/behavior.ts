import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { SubscriptionStatus } from "./subscriptions.js";
import type { WalletPlatform } from "./wallets.js";

/** A test of a metadata value. A value of another JSON type doesn't match. */
export type MetadataTest =
  /** There, and not `null`. */
  | { readonly is: "there" }
  /** The text in NFC. */
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "flag"; readonly value: boolean }
  /** A number within both inclusive bounds. */
  | { readonly is: "number"; readonly min: number | null; readonly max: number | null }
  /** A date from one on, and before another, each a number such as 20240531. */
  | { readonly is: "date"; readonly from: number | null; readonly before: number | null }
  /** A date on one of these days of the year, each a number such as 531. */
  | { readonly is: "dayOfYear"; readonly days: readonly number[] };

/** Something that is so of a user or not. `templateId: null` is every template. */
export type BehaviorTest =
  /** At least one card has a number of stamps, rewards or completions within both inclusive bounds. */
  | {
      readonly of: "stamps" | "rewards" | "completions";
      readonly templateId: string | null;
      readonly min: number;
      readonly max: number | null;
    }
  /** The n-th newest visit (1 to 11) on all cards is from one time on, and before another, both whole seconds. */
  | {
      readonly of: "visit";
      readonly templateId: string | null;
      readonly nth: number;
      readonly since: number | null;
      readonly before: number | null;
    }
  /** Created from one time on, and before another. */
  | { readonly of: "joined"; readonly from: number | null; readonly before: number | null }
  | { readonly of: "metadata"; readonly path: readonly string[]; readonly value: MetadataTest }
  /** The field is not `null`. */
  | { readonly of: "field"; readonly name: "phone" | "name" | "externalId" }
  /**
   * A device of the platform has a card; for all platforms, also one whose installation status is `INSTALLED`.
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
  /** The language, or a longer tag that begins with it. */
  | { readonly of: "language"; readonly language: string };

export interface BehaviorReads {
  /** The users who match each test, all of one state. Bits without a user are not set. */
  matchBehavior(organizationId: string, tests: readonly BehaviorTest[]): Step<readonly Bitmap[]>;
}
