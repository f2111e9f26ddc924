import { base } from "../api/session.js";
import { language } from "../words/en/forms.js";

const page = `${base}/till`;

/** Has the browser keep the till, so that it opens without a connection. */
export async function cacheTill(): Promise<void> {
  const worker = `${base}/till-worker.js?language=${language}`;
  await navigator.serviceWorker?.register(worker, { scope: page, updateViaCache: "none" });
}

/** Forgets the page of who signs out, and goes on then. Scans that are not sent yet stay. */
export async function clearTillCache(goOn: () => void): Promise<void> {
  try {
    if ("caches" in globalThis) await (await caches.open(`loyalty-till ${page}`)).delete(page);
  } finally {
    goOn();
  }
}
