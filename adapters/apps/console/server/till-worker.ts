import type { HttpResponse } from "../../../http/index.js";
import type { Assets } from "./assets.js";
import { securityHeaders } from "./page-response.js";

/** Files that only other pages need. */
const notForTheTill = /^(?:passkey|reference|till-worker)-/;

/**
 * Returns the script of the service worker that stores the till's files on a device for offline use. When one of these files
 * changes, the script changes too, which makes browsers update the worker.
 */
export function tillWorkerResponse(assets: Assets, prefix: string): HttpResponse {
  const files = assets.names
    .filter((name) => !notForTheTill.test(name))
    .map((name) => `${prefix}/console/assets/${assets.language}/${name}`);
  const till = { page: `${prefix}/console/till`, files: [`${prefix}/console/icon.svg`, ...files] };
  return {
    status: 200,
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      ...securityHeaders,
    },
    body: `const till = ${JSON.stringify(till)};\n${assets.readText("till-worker.js")}`,
  };
}
