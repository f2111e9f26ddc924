import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { HttpExtension } from "../../../http/index.js";
import { probe } from "./storage-probe.js";

const LIVE = "/health/live";
const READY = "/health/ready";

/**
 * Creates the extension for health checks. `/health/live` responds with 200 as long as the process can respond. `/health/ready`
 * responds with 200 if the storage contains this release's tables and responds within 2 s.
 */
export function createHealthExtension(storage: StorageAdapter): HttpExtension {
  let asked: Promise<boolean> | null = null;
  /**
   * Returns whether the storage can work. The endpoint is public, so concurrent requests share one probe, and its failure is logged
   * once.
   */
  const isReady = (onError: (error: unknown) => void) => {
    asked ??= probe(storage)
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
      if (url.startsWith(LIVE)) return textAnswer(200, "live");
      return (await isReady(onError)) ? textAnswer(200, "ready") : textAnswer(503, "storage is unavailable");
    },
  };
}

function textAnswer(status: number, text: string) {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status, headers, body: `${text}\n` };
}
