import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampCard } from "../../../../src/resources/stamps.js";
import type { User } from "../../../../src/resources/user.js";
import { nameOf } from "../customers/customer-name.js";

/** A card at the till, with its owner and its stamps. */
export interface TillCard {
  readonly pass: WalletPassDetail;
  /** `null` if the token has no access to customers. */
  readonly user: User | null;
  /** `null` if the card has no stamps. */
  readonly state: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
}

/** Returns the owner's name, or the card's name if the owner is unknown. */
export const formatOwner = ({ pass, user }: TillCard) => (user === null ? pass.template.name : nameOf(user));
