/* Stores the till on the device, so that it also opens without a connection. */

export type {};

declare const self: ServiceWorkerGlobalScope;

/**
 * The path of the till's page and the paths of all files that the page may need. The server prepends the definition to this script.
 */
declare const till: { readonly page: string; readonly files: readonly string[] };

const CACHE = `loyalty-till ${till.page}`;

/** How long the server has to respond before the cached page is shown, in milliseconds. */
const TIMEOUT_MS = 4_000;

/** Text that occurs only in a page for a signed-in user. */
const SIGNED_IN = '<meta name="session"';

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return;
  if (mode === "navigate" && pathname === till.page) event.respondWith(respondWithPage(event.request));
  else if (till.files.includes(pathname)) event.respondWith(respondWithFile(event.request));
});

/** Caches the files that aren't cached yet. A file's name changes with its content. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  const cachedPaths = new Set(await listCachedPaths(cache));
  await cache.addAll(till.files.filter((path) => !cachedPaths.has(path)));
  await updateCachedPage(cache, await fetch(till.page));
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of await listCachedPaths(cache)) {
    if (path !== till.page && !till.files.includes(path)) await cache.delete(path);
  }
  await self.clients.claim();
}

async function listCachedPaths(cache: Cache): Promise<string[]> {
  return (await cache.keys()).map(({ url }) => new URL(url).pathname);
}

/** Resolves to the server's page. Falls back to the cached page if the server can't be reached, takes too long or fails. */
async function respondWithPage(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const cachedPage = await cache.match(till.page);
  if (cachedPage === undefined) return updateCachedPage(cache, await fetch(request));
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.status >= 500 ? cachedPage : await updateCachedPage(cache, response);
  } catch {
    return cachedPage;
  }
}

/** Caches a page, or deletes the cached page if the user is signed out. */
async function updateCachedPage(cache: Cache, response: Response): Promise<Response> {
  const isSignedIn = response.ok && (await response.clone().text()).includes(SIGNED_IN);
  if (isSignedIn) await cache.put(till.page, response.clone());
  else await cache.delete(till.page);
  return response;
}

async function respondWithFile(request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(request)) ?? fetch(request);
}
