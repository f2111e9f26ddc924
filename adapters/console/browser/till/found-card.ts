import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampCard } from "../../../../src/resources/stamps.js";
import type { User } from "../../../../src/resources/user.js";
import { nameOf } from "../customers/customer-name.js";

/** A card at the till, with its owner and its stamps. */
export interface TillCard {
  readonly pass: WalletPassDetail;
  /** The card's owner, or `null` if the user isn't allowed to read customers. */
  readonly user: User | null;
  /** The card's stamps and rewards, or `null` if this kind of card has no stamps. */
  readonly state: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
}

/** Returns the owner's name, or the template's name if the owner isn't known. */
export const formatOwner = ({ pass, user }: TillCard) => (user === null ? pass.template.name : nameOf(user));
