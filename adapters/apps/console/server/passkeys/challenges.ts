import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../../../src/base/values/clock.js";

export const CHALLENGE_MS = 5 * 60_000;

const KEY_BYTES = 32;
const TIME_BYTES = 8;
const RANDOM_BYTES = 16;
const PART_BYTES = TIME_BYTES + RANDOM_BYTES;

/** The purpose that a challenge is created for, such as signing in. The challenge isn't valid for any other purpose. */
export type ChallengePurpose = readonly string[];

/**
 * Creates signed challenges that expire, and verifies them later. Challenges aren't stored, so anonymous clients can't exhaust
 * memory by requesting many of them.
 */
export class Challenges {
  private readonly key: Uint8Array;

  /**
   * @param key a secret shared by all processes. If it is `undefined`, a challenge is valid only in the process that created it.
   */
  constructor(
    private readonly clock: Clock,
    key: string | undefined,
  ) {
    this.key =
      key === undefined
        ? randomBytes(KEY_BYTES)
        : new Uint8Array(hkdfSync("sha256", key, "", "passkey challenges", KEY_BYTES));
  }

  /** Creates a base64url-encoded challenge that is valid for five minutes. */
  make(purpose: ChallengePurpose): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(this.clock() + CHALLENGE_MS));
    const part = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
    return Buffer.concat([part, this.signPart(part, purpose)]).toString("base64url");
  }

  /** Returns whether a challenge was created for this purpose with the same key and hasn't expired. */
  isGood(challenge: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    const [part, signature] = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)];
    const right = this.signPart(part, purpose);
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) return false;
    // A different encoding of a used challenge would pass as unused.
    return bytes.toString("base64url") === challenge && this.clock() < Number(part.readBigUInt64BE());
  }

  private signPart(part: Uint8Array, purpose: ChallengePurpose): Buffer {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([purpose, Buffer.from(part).toString("base64url")]))
      .digest();
  }
}
