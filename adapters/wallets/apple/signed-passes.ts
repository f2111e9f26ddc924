import { createHash } from "node:crypto";
import type { Clock } from "../../../src/index.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { BoundedMemory } from "../bounded-memory.js";
import { type PassPress, passPackage } from "./pass-package.js";

/** How many bytes of passes are remembered. */
const MAX_BYTES = 33_554_432;

/** For how long one is: a drawing that failed is not missing for longer. In milliseconds. */
const KEPT_MS = 600_000;

/** Makes passes, and remembers them: whoever has a link may ask for a pass as often as they like, and one takes a signature. */
export class SignedPasses {
  private readonly memory = new BoundedMemory<Buffer<ArrayBuffer>>(MAX_BYTES, ({ byteLength }) => byteLength);

  constructor(
    private readonly press: PassPress,
    private readonly clock: Clock,
  ) {}

  /** The `.pkpass` of a card as it is. */
  async of(issued: IssuedCard): Promise<Buffer<ArrayBuffer>> {
    const now = this.clock();
    const state = createHash("sha256").update(JSON.stringify(issued)).digest("base64url");
    const make = () => passPackage(issued, this.press, now);
    return (await this.memory.get(`${Math.floor(now / KEPT_MS)} ${state}`, make)) ?? make();
  }
}
