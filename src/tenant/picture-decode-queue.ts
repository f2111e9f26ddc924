import { FairSemaphore } from "../concurrency/fair-semaphore.js";
import { unavailable } from "../errors.js";
import type { PictureDecoder } from "../picture-decoder.js";
import type { PlainPicture } from "../values/picture.js";

/** The most pictures decoded at the same time; at most one of an organization. */
const AT_ONCE = 2;

/** At most this many pictures of an organization wait, each for at most this long, in milliseconds. */
const MAX_WAITING = 20;
const PATIENCE_MS = 10_000;

/** Decodes pictures of designs before they are stored. Organizations take turns. */
export class PictureDecodeQueue {
  private readonly turns = new FairSemaphore(AT_ONCE, 1 / AT_ONCE, {
    length: MAX_WAITING,
    patience: PATIENCE_MS,
    createError: () =>
      unavailable("crowded", new Error("too many pictures of the organization are waiting to be decoded")),
  });
  private linked: PictureDecoder | null = null;

  /**
   * @param given the decoder; `undefined` leaves the choice to the wallets; `null` stores pictures as uploaded, without metadata.
   */
  constructor(private readonly given: PictureDecoder | null | undefined) {}

  /** Has a service without a decoder use this one, until the returned function is called. */
  attach(decoder: PictureDecoder): () => void {
    this.linked = decoder;
    return () => {
      if (this.linked === decoder) this.linked = null;
    };
  }

  /**
   * @param isJoining true if a host transaction is open. It blocks others, so this must not wait for them.
   * @returns the picture to store, or a text that says why it is refused.
   * @throws {LoyaltyError} `storage_unavailable` if too many wait, or no decoder can run now.
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
