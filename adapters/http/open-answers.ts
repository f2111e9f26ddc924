import type { HttpResponse } from "./request/message.js";
import { LARGE } from "./stream.js";

type Body = HttpResponse["body"];

/** The most answers that may turn out large which are made at once, for one token and for one organization. */
const MADE = [64, 128] as const;

/** The most large answers that wait to be read, of one token and of one organization. */
const UNREAD = [8, 32] as const;

/** The places that the tokens of an organization have, each for itself and all together. */
export class Places {
  private readonly taken = new Map<string, number>();

  constructor(
    private readonly perToken: number,
    private readonly perOrganization: number,
  ) {}

  /** Takes a place. @returns what gives it back, harmless when called again; `null` when the token or its organization has too many. */
  take(token: string, organizationId: string): (() => void) | null {
    const keys = [`token ${token}`, `organization ${organizationId}`] as const;
    const [ofToken, ofOrganization] = keys.map((key) => this.taken.get(key) ?? 0);
    if ((ofToken ?? 0) >= this.perToken || (ofOrganization ?? 0) >= this.perOrganization) return null;
    for (const key of keys) this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const key of keys) this.release(key);
      isTaken = false;
    };
  }

  /** Counts the tokens and organizations that have taken any. */
  get size(): number {
    return this.taken.size;
  }

  private release(key: string): void {
    const left = (this.taken.get(key) ?? 0) - 1;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
  }
}

/** Bounds the answers that are being made, and the large ones that are not read yet: whoever reads none can't fill the memory. */
export class OpenAnswers {
  /** Of answers that may turn out large, while they are made. */
  readonly made = new Places(...MADE);

  /** @param unread the places of large answers, until they are read. */
  constructor(private readonly unread = new Places(...UNREAD)) {}

  /**
   * The body for a mount to send: a large one has a place until it is read or given up, and is given out in pieces, as fast as it
   * is read. What is read as it is sent counts as large.
   * @returns `null` when there is no place for it.
   */
  held(body: Body, token: string, organizationId: string): Body {
    if (body === null || body instanceof Uint8Array) return body;
    if (typeof body === "string" && body.length <= LARGE) return body;
    const release = this.unread.take(token, organizationId);
    if (release === null) return null;
    return heldUntilRead(typeof body === "string" ? piecesOf(body) : body[Symbol.asyncIterator](), release);
  }
}

/**
 * The pieces, which are let go of at their end: a connection that is kept holds on to what was sent on it last. An iterator
 * by hand: a generator that was never started would not learn of its end.
 */
function heldUntilRead<Piece>(
  pieces: Pick<AsyncIterator<Piece>, "next" | "return">,
  release: () => void,
): AsyncIterableIterator<Piece> {
  let left: typeof pieces | null = pieces;
  const end = () => {
    left = null;
    release();
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const step = (await left?.next()) ?? ended;
        if (step.done) end();
        return step;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      const unread = left;
      end();
      await unread?.return?.();
      return ended;
    },
  };
}

const ended: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** None ends between the two halves of a character. */
async function* piecesOf(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + LARGE - 1);
    const end = at + (last >= 0xd800 && last <= 0xdbff ? LARGE - 1 : LARGE);
    yield text.slice(at, end);
    at = end;
  }
}
