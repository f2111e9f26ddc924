import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampCard } from "../../../../src/resources/stamps.js";
import type { User } from "../../../../src/resources/user.js";
import { nameOf } from "../customers/customer-name.js";

/** A card at the till, with its owner and its stamps. */
export interface TillCard {
  readonly pass: WalletPassDetail;
  /** `null` if the token may not see customers. */
  readonly user: User | null;
  /** `null` for a card without stamps. */
  readonly state: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
}

/** Whose card it is; the name of the card where that is not known. */
export const formatOwner = ({ pass, user }: TillCard) => (user === null ? pass.template.name : nameOf(user));
