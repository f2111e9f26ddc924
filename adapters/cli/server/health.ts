import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { HttpExtension } from "../../http/index.js";

const LIVE = "/health/live";
const READY = "/health/ready";

/** How long storage may take to answer, in milliseconds. */
const PATIENCE = 2_000;

/**
 * Tells whoever runs the server how it is: `/health/live` that the process answers, `/health/ready` that it can work,
 * which needs storage that answers within 2 s, and tables that are those of this release still: a snapshot looks at that.
 */
export function health(storage: StorageAdapter): HttpExtension {
  let asked: Promise<boolean> | null = null;
  /** Anybody may ask, so those who ask at once share the answer, and what failed is told once. */
  const isReady = (onError: (error: unknown) => void) => {
    asked ??= inTime(storage.snapshot((reader) => reader.isEmpty()))
      .then(
        () => true,
        (error) => {
          onError(error);
          return false;
        },
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  };
  return {
    paths: [LIVE, READY],
    async handle({ method, url }, onError) {
      if (method !== "GET" && method !== "HEAD") {
        return { status: 405, headers: { allow: "GET, HEAD" }, body: null };
      }
      if (url.startsWith(LIVE)) return said(200, "live");
      return (await isReady(onError)) ? said(200, "ready") : said(503, "storage can't be used");
    },
  };
}

function said(status: number, text: string) {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status, headers, body: `${text}\n` };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`storage took longer than ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
