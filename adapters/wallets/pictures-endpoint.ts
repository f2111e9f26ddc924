import type { HttpRequest, HttpResponse } from "../http/index.js";
import { refusal } from "./answers.js";
import type { Pictures } from "./drawing.js";

const YEAR_SECONDS = 31_536_000;

/** A picture of a design, which never changes under its hash. */
export async function pictureAnswer(
  hash: string,
  { method }: HttpRequest,
  pictures: Pictures,
): Promise<HttpResponse> {
  if (method !== "GET" && method !== "HEAD") return refusal("method_not_allowed", { allow: "GET, HEAD" });
  const picture = /^[0-9a-f]{64}$/.test(hash) ? await pictures(hash) : null;
  if (picture === null) return refusal("resource_not_found");
  return unchangingPicture(picture.type, hash, picture.bytes);
}

/** A picture whose URL says what it is. */
export function unchangingPicture(type: string, tag: string, bytes: Uint8Array): HttpResponse {
  return {
    status: 200,
    headers: {
      "content-type": type,
      "cache-control": `public, max-age=${YEAR_SECONDS}, immutable`,
      etag: `"${tag}"`,
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
    },
    body: new Uint8Array(bytes),
  };
}
