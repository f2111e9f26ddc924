/** A text longer than this is sent in pieces; a shorter one is mostly taken by the socket at once. */
const LARGE = 65_536;

/** The most responses that may be large which one token, or one organization, has under way at once. */
const PER_TOKEN = 64;
const PER_ORGANIZATION = 128;

/**
 * Counts the large answers that are being made or read, so that whoever asks for many and reads none can't fill the memory.
 * A text that is large is given out in pieces, as fast as it is read.
 */
export class OpenAnswers {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly perToken = PER_TOKEN,
    private readonly perOrganization = PER_ORGANIZATION,
  ) {}

  /** Opens a place for an answer that may be large; `null` when the token or its organization has too many. */
  begin(token: string, organizationId: string): OpenAnswer | null {
    const keys = [`token ${token}`, `organization ${organizationId}`] as const;
    const [ofToken, ofOrganization] = keys.map((key) => this.open.get(key) ?? 0);
    if ((ofToken ?? 0) >= this.perToken || (ofOrganization ?? 0) >= this.perOrganization) return null;
    for (const key of keys) this.open.set(key, (this.open.get(key) ?? 0) + 1);
    return new OpenAnswer(() => {
      for (const key of keys) this.release(key);
    });
  }

  /** Counts the tokens and organizations that have responses open. */
  get size(): number {
    return this.open.size;
  }

  private release(key: string): void {
    const left = (this.open.get(key) ?? 0) - 1;
    if (left > 0) this.open.set(key, left);
    else this.open.delete(key);
  }
}

/** One place among the open answers. */
export class OpenAnswer {
  private isOpen = true;

  constructor(private readonly release: () => void) {}

  /** Gives the place back. Closing twice is harmless. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.release();
  }

  /** The body for a mount to send: the place is given back when it is read or given up, or now when it is short. */
  holding<Body>(body: Body): Body | AsyncIterable<string> {
    if (typeof body === "string") {
      if (body.length > LARGE) return this.until(piecesOf(body));
    } else if (isIterable(body)) {
      return this.until(body[Symbol.asyncIterator]());
    }
    this.close();
    return body;
  }

  /** An iterator by hand: a generator that was never started would not learn of its end. */
  private until(chunks: Pick<AsyncIterator<string>, "next" | "return">): AsyncIterableIterator<string> {
    const close = () => this.close();
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        try {
          const step = await chunks.next();
          if (step.done) close();
          return step;
        } catch (error) {
          close();
          throw error;
        }
      },
      async return() {
        close();
        await chunks.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

function isIterable(body: unknown): body is AsyncIterable<string> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** None ends between the two halves of a character. */
async function* piecesOf(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + LARGE - 1);
    const end = at + (last >= 0xd800 && last <= 0xdbff ? LARGE - 1 : LARGE);
    yield text.slice(at, end);
    at = end;
  }
}
