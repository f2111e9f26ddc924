import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampCard } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { formatCustomerName } from "../customers/customer-name.js";
import type { EarningCard } from "./earning-card.js";

/** A card at the till, with its owner and stamps. */
export interface TillCard {
  readonly pass: WalletPassDetail;
  /** The card's owner, or `null` if the user isn't allowed to read customers. */
  readonly user: User | null;
  /** The card's stamps and rewards, or `null` if the card's template has no stamps. */
  readonly state: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
  /** The customer's cards that earn from purchases. Empty if the user isn't allowed to record purchases. */
  readonly earningCards: readonly EarningCard[];
}

/** Returns the card owner's name, or the template's name if the user isn't allowed to read customers. */
export const formatOwner = ({ pass, user }: TillCard) =>
  user === null ? pass.template.name : formatCustomerName(user);
