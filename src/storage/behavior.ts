import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { SubscriptionStatus } from "./subscriptions.js";
import type { WalletPlatform } from "./wallets.js";

/** A test of a metadata value. Values of a different JSON type don't match. */
export type MetadataTest =
  /** The value is present and not `null`. */
  | {
      /** The kind of test. `there` matches any value except `null`. All other kinds compare the value. */
      readonly is: "there";
    }
  /** The value is this string, compared in NFC. */
  | {
      readonly is: "text";
      /** The string that the metadata value must equal, in NFC. */
      readonly text: string;
    }
  | {
      readonly is: "flag";
      /** The boolean that the metadata value must be. */
      readonly value: boolean;
    }
  /** The value is a number between `min` and `max`, both inclusive. */
  | {
      readonly is: "number";
      /** The lowest matching number, or `null` if there is no lower bound. */
      readonly min: number | null;
      /** The highest matching number, or `null` if there is no upper bound. */
      readonly max: number | null;
    }
  /** The value is a date between `from` (inclusive) and `before` (exclusive), which are numbers such as 20240531. */
  | {
      readonly is: "date";
      /** The first matching date, as a number such as 20240531. `null` if there is no lower bound. */
      readonly from: number | null;
      /** The day after the last matching date, as a number such as 20240531. `null` if there is no upper bound. */
      readonly before: number | null;
    }
  /** The value is a date on one of these days of the year, which are numbers such as 531 for May 31. */
  | {
      readonly is: "dayOfYear";
      /** The matching days of the year, as numbers such as 531 for May 31. */
      readonly days: readonly number[];
    };

/** A test of a user's behavior or profile. A `templateId` of `null` means any template. */
export type BehaviorTest =
  /** At least one card has a number of stamps, rewards or completions within both inclusive bounds. */
  | {
      /** The number to test on each card: its stamps, its rewards, or how often it has been completed. */
      readonly of: "stamps" | "rewards" | "completions";
      /** The ID of the template whose cards count, or `null` to count the cards from every template. */
      readonly templateId: string | null;
      /** The lowest matching number. */
      readonly min: number;
      /** The highest matching number, or `null` if there is no upper bound. */
      readonly max: number | null;
    }
  /**
   * The n-th newest visit (1 to 11) across all cards is between `since` (inclusive) and `before` (exclusive), both whole seconds.
   */
  | {
      readonly of: "visit";
      readonly templateId: string | null;
      /** Which visit to test, counted from the newest one, from 1 to 11. */
      readonly nth: number;
      /** The earliest matching time, in milliseconds since the Unix epoch. `null` if there is no lower bound. */
      readonly since: number | null;
      /** The visit must be before this time, in milliseconds since the Unix epoch. `null` if there is no upper bound. */
      readonly before: number | null;
    }
  /**
   * At least one card from the template has a number of points within both inclusive bounds. Points count if their lot becomes
   * usable at or before `usableBy`, and ends after `endsAfter` and at or before `endsBy`. A test of the past finds what the current rows
   * were then: points that were usable when they were given count too, and so do points that have expired if their lot has no grace
   * period and ends after `usableBy`.
   */
  | {
      readonly of: "points";
      /** The ID of the template whose cards count. */
      readonly templateId: string;
      /** Whether a card without stamps whose points never changed counts as a card with 0 points. */
      readonly countsUnused: boolean;
      /** The last time at which counted points become usable, in milliseconds since the Unix epoch. */
      readonly usableBy: number;
      /** Counted points end after this time, in milliseconds since the Unix epoch. */
      readonly endsAfter: number;
      /**
       * Counted points end at or before this time, in milliseconds since the Unix epoch. `null` if there is no such bound, so that points
       * without an end count too.
       */
      readonly endsBy: number | null;
      /** The lowest matching number of points. */
      readonly min: number;
      /** The highest matching number of points, or `null` if there is no upper bound. */
      readonly max: number | null;
    }
  /**
   * The remaining amounts of the user's purchases since a time add up to a number within both inclusive bounds. A user without
   * purchases has 0.
   */
  | {
      readonly of: "spent";
      /** The currency of the purchases that count, as an ISO 4217 code. */
      readonly currency: string;
      /** The earliest time of a purchase that counts, in milliseconds since the Unix epoch. */
      readonly since: number;
      /** The lowest matching sum, in minor units. */
      readonly min: number;
      /** The highest matching sum, in minor units, or `null` if there is no upper bound. */
      readonly max: number | null;
    }
  /**
   * The number of the user's purchases since a time is within both inclusive bounds. Purchases that were returned completely don't
   * count. A user without purchases has 0.
   */
  | {
      readonly of: "purchases";
      /** The earliest time of a purchase that counts, in milliseconds since the Unix epoch. */
      readonly since: number;
      /** The lowest matching number of purchases. */
      readonly min: number;
      /** The highest matching number of purchases, or `null` if there is no upper bound. */
      readonly max: number | null;
    }
  /** The user was created between `from` (inclusive) and `before` (exclusive). */
  | {
      readonly of: "joined";
      /** The earliest matching time, in milliseconds since the Unix epoch. `null` if there is no lower bound. */
      readonly from: number | null;
      /**
       * The user must have been created before this time, in milliseconds since the Unix epoch. `null` if there is no upper bound.
       */
      readonly before: number | null;
    }
  | {
      readonly of: "metadata";
      /** The keys that lead from the metadata object to the value, outermost first. */
      readonly path: readonly string[];
      /** The test that the metadata value at `path` must pass. */
      readonly value: MetadataTest;
    }
  /** The profile field is not `null`. */
  | {
      readonly of: "field";
      /** The profile field that must have a value. */
      readonly name: "phone" | "name" | "externalId";
    }
  /**
   * A device on this platform has one of the user's cards. For all platforms, a card with installation status `INSTALLED` counts
   * too.
   */
  | {
      readonly of: "wallet";
      /** The platform where one of the user's cards must be installed, or `null` for any platform. */
      readonly platform: WalletPlatform | null;
      readonly templateId: string | null;
    }
  | {
      readonly of: "subscription";
      /** The channel whose status is tested. */
      readonly channel: "email" | "wallet";
      /** The status that the user must have on the channel. */
      readonly status: SubscriptionStatus;
    }
  /** The user's language is this one, or a more specific tag that begins with it. */
  | {
      readonly of: "language";
      /** The required language, as a canonical BCP 47 tag. */
      readonly language: string;
    };

export interface BehaviorReads {
  /**
   * Returns one set of matching users' ordinals per test. All sets come from the same committed state and contain only existing
   * users.
   */
  matchBehavior(tests: readonly BehaviorTest[]): Step<readonly Bitmap[]>;
}
