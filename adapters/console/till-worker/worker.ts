/* Keeps the till on the device, so that it opens without a connection too. */

export type {};

declare const self: ServiceWorkerGlobalScope;

/** What the server says: the path of the till's page, and those of all the files that it may need. */
declare const till: { readonly page: string; readonly files: readonly string[] };

const CACHE = `loyalty-till ${till.page}`;

/** How long the server may take before the kept page is shown, in milliseconds. */
const PATIENCE_MS = 4_000;

/** Only the page of who is signed in says so. */
const SIGNED_IN = '<meta name="session"';

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return;
  if (mode === "navigate" && pathname === till.page) event.respondWith(page(event.request));
  else if (till.files.includes(pathname)) event.respondWith(file(event.request));
});

/** The names of files change with what is in them: those that are there already are the same. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  const known = new Set(await keptPaths(cache));
  await cache.addAll(till.files.filter((path) => !known.has(path)));
  await keep(cache, await fetch(till.page));
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of await keptPaths(cache)) {
    if (path !== till.page && !till.files.includes(path)) await cache.delete(path);
  }
  await self.clients.claim();
}

async function keptPaths(cache: Cache): Promise<string[]> {
  return (await cache.keys()).map(({ url }) => new URL(url).pathname);
}

/** The page of the server; the kept one where that can't be reached, is too slow or fails. */
async function page(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(till.page);
  if (kept === undefined) return keep(cache, await fetch(request));
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.status >= 500 ? kept : await keep(cache, answer);
  } catch {
    return kept;
  }
}

/** Keeps a page. Whoever is signed in no more is not shown as if they were. */
async function keep(cache: Cache, answer: Response): Promise<Response> {
  const isSignedIn = answer.ok && (await answer.clone().text()).includes(SIGNED_IN);
  if (isSignedIn) await cache.put(till.page, answer.clone());
  else await cache.delete(till.page);
  return answer;
}

async function file(request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(request)) ?? fetch(request);
}
