import { FairSemaphore } from "../base/concurrency/fair-semaphore.js";
import { unavailable } from "../base/errors.js";
import type { PictureDecoder } from "../base/picture-decoder.js";
import type { PlainPicture } from "../base/values/picture.js";

/** Maximum number of pictures that are decoded at the same time; at most one per organization. */
const AT_ONCE = 2;

/** Maximum number of queued pictures per organization, and the maximum wait of each in milliseconds. */
const MAX_WAITING = 20;
const PATIENCE_MS = 10_000;

/** Decodes pictures for designs before they are stored. Organizations take turns. */
export class PictureDecodeQueue {
  private readonly turns = new FairSemaphore(AT_ONCE, 1 / AT_ONCE, {
    length: MAX_WAITING,
    patience: PATIENCE_MS,
    createError: () =>
      unavailable("crowded", new Error("too many pictures of the organization are waiting to be decoded")),
  });
  private linked: PictureDecoder | null = null;

  /**
   * @param given the decoder, `null` to store pictures as uploaded, or `undefined` to use the wallets' decoder if there is one.
   */
  constructor(private readonly given: PictureDecoder | null | undefined) {}

  /**
   * Sets the decoder for a service that has no decoder of its own.
   * @returns a function that removes the decoder again.
   */
  attach(decoder: PictureDecoder): () => void {
    this.linked = decoder;
    return () => {
      if (this.linked === decoder) this.linked = null;
    };
  }

  /**
   * Decodes an organization's picture when it is the organization's turn.
   * @param isJoining whether a host transaction is open. If so, the picture skips the queue, because the transaction blocks other
   *   transactions and waiting for them could deadlock.
   * @returns the picture to store, or a message that says why it was rejected.
   * @throws {LoyaltyError} `storage_unavailable` if the queue is full or no decoder is available now.
   */
  async decode(
    organizationId: string,
    picture: PlainPicture,
    isJoining: boolean,
  ): Promise<PlainPicture | string> {
    const decoder = this.given === undefined ? this.linked : this.given;
    if (decoder === null) return picture;
    const decode = async () => {
      try {
        return await decoder.decode(picture);
      } catch (cause) {
        throw unavailable("pictures", cause);
      }
    };
    return isJoining ? decode() : this.turns.run(organizationId, decode);
  }
}
