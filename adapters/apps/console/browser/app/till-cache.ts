import { base } from "../api/session.js";
import { language } from "../words/en/forms.js";

const tillPath = `${base}/till`;

/** Registers a service worker that caches the till page so that the till can be opened without a connection. */
export async function cacheTill(): Promise<void> {
  const worker = `${base}/till-worker.js?language=${language}`;
  await navigator.serviceWorker?.register(worker, { scope: tillPath, updateViaCache: "none" });
}

/**
 * Deletes the cached till page when the user signs out, and then calls `onCleared`, even if deleting fails. Scans that haven't been
 * sent yet are kept.
 */
export async function clearTillCache(onCleared: () => void): Promise<void> {
  try {
    if ("caches" in globalThis) await (await caches.open(`loyalty-till ${tillPath}`)).delete(tillPath);
  } finally {
    onCleared();
  }
}
