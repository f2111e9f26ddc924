import { type HttpResponse, jsonHeaders } from "../request/message.js";
import { openApiText } from "./document.js";

/** The document as it was asked for last: its 400 KB take a millisecond to encode, and anybody may ask. */
let encoded: { readonly prefix: string; readonly bytes: Uint8Array<ArrayBuffer> } | null = null;

/** Answers with the OpenAPI document. @param prefix of its paths. */
export function documentAnswer(prefix: string): HttpResponse {
  if (encoded?.prefix !== prefix) encoded = { prefix, bytes: new TextEncoder().encode(openApiText(prefix)) };
  return { status: 200, headers: jsonHeaders(), body: encoded.bytes };
}
