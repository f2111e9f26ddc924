import type { BodyRefusal } from "../http/index.js";

/** What body-parser calls the ways in which it can't take a body. */
const refusals: Readonly<Record<string, BodyRefusal>> = {
  "entity.parse.failed": "malformed_request",
  "request.aborted": "malformed_request",
  "request.size.invalid": "malformed_request",
  "entity.too.large": "payload_too_large",
  "charset.unsupported": "unsupported_media_type",
  "encoding.unsupported": "unsupported_media_type",
};

/** Why the host could not read the request; `null` for an error that is the host's own affair. */
export function refusalOf(error: unknown): BodyRefusal | null {
  if (!(error instanceof Error) || !("status" in error)) return null;
  if ("type" in error && typeof error.type === "string") return refusals[error.type] ?? null;
  // What is broken in a compressed body comes from zlib, under many codes.
  if (error.status === 400 && "errno" in error) return "unsupported_media_type";
  // A host's route with a parameter in the place of one of ours fails like this on a malformed percent-encoding.
  return error.status === 400 && error instanceof URIError ? "malformed_request" : null;
}
