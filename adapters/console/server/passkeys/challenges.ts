import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../../src/values/clock.js";

export const CHALLENGE_MS = 5 * 60_000;

const KEY_BYTES = 32;
const TIME_BYTES = 8;
const RANDOM_BYTES = 16;
const PART_BYTES = TIME_BYTES + RANDOM_BYTES;

/** The purpose of a challenge, which can't be used for another one. */
export type ChallengePurpose = readonly string[];

/**
 * Makes challenges, and knows its own again by their signature and the time in them: nothing is kept here for strangers, however
 * many they ask for.
 */
export class Challenges {
  private readonly key: Uint8Array;

  /** @param key that processes share; without one, only this process knows its challenges. */
  constructor(
    private readonly clock: Clock,
    key: string | undefined,
  ) {
    this.key =
      key === undefined
        ? randomBytes(KEY_BYTES)
        : new Uint8Array(hkdfSync("sha256", key, "", "passkey challenges", KEY_BYTES));
  }

  /** Creates a challenge that is good for five minutes, in base64url. */
  make(purpose: ChallengePurpose): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(this.clock() + CHALLENGE_MS));
    const part = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
    return Buffer.concat([part, this.signPart(part, purpose)]).toString("base64url");
  }

  /** True for a challenge of this purpose whose time is not over. */
  isGood(challenge: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    const [part, signature] = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)];
    const right = this.signPart(part, purpose);
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) return false;
    // Another spelling of a challenge would be taken for one that was not answered yet.
    return bytes.toString("base64url") === challenge && this.clock() < Number(part.readBigUInt64BE());
  }

  private signPart(part: Uint8Array, purpose: ChallengePurpose): Buffer {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([purpose, Buffer.from(part).toString("base64url")]))
      .digest();
  }
}
