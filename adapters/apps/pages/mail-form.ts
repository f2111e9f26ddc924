import { isLoyaltyError } from "../../../src/base/errors.js";
import { isPassCode } from "../../../src/base/values/pass-code.js";
import type { HttpRequest } from "../../http/index.js";
import { readWholeBody } from "../../http/request/body.js";
import { parseContentHeaders } from "../../http/request/headers.js";
import type { MailChannels } from "./unsubscribe-page.js";

/** A form that was submitted from a page that an emailed link opens, or by a mail client's one-click unsubscribe. */
export interface MailForm {
  /** Whether the form was submitted by a mail client's one-click unsubscribe (RFC 8058) rather than from a page. */
  readonly isOneClick: boolean;
  /** The channel to unsubscribe from, or `null` if the form doesn't specify a valid channel. */
  readonly channel: MailChannels | null;
  /** Whether the customer confirmed or refused their address, or `null` if the form contains neither answer. */
  readonly answer: "confirm" | "refuse" | null;
  /** The code of the card whose page contained the form, or `null` if the form wasn't on a card page. */
  readonly code: string | null;
}

const MAX_BYTES = 16_384;

/**
 * Reads a submitted form. An unreadable form is treated as empty, so even a malformed request can unsubscribe. Supports
 * `multipart/form-data` because mail clients are allowed to use it (RFC 8058, section 3.1).
 */
export async function readMailForm(request: HttpRequest): Promise<MailForm> {
  const fields = await readFields(request);
  // In every format, the first value of a field counts, without surrounding whitespace.
  const field = (name: string) => fields(name)?.trim() ?? null;
  const channel = field("channel");
  const answer = field("answer");
  const code = field("code");
  return {
    isOneClick: field("List-Unsubscribe") === "One-Click",
    channel: channel === "email" || channel === "wallet" || channel === "all" ? channel : null,
    answer: answer === "confirm" || answer === "refuse" ? answer : null,
    code: code !== null && isPassCode(code) ? code : null,
  };
}

type Fields = (name: string) => string | null;

const nothing: Fields = () => null;

async function readFields({ headers, body }: HttpRequest): Promise<Fields> {
  if (body.kind === "parsed") return parsedFields(body.value);
  if (body.kind !== "bytes") return nothing;
  const text = await readText(body.chunks, headers);
  const { type, parameters } = parseContentHeaders(headers);
  if (type !== "multipart/form-data") {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name);
  }
  const boundary = parameters.get("boundary") ?? "";
  return boundary === "" ? nothing : multipartFields(text, boundary);
}

/** Reads a form that the host's body parser has already parsed. */
function parsedFields(value: unknown): Fields {
  const fields = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  return (name) => {
    const [sent]: unknown[] = [fields.get(name)].flat();
    return typeof sent === "string" ? sent : null;
  };
}

/** Parses multipart form data (RFC 7578). All fields are short strings. */
function multipartFields(text: string, boundary: string): Fields {
  const fields = new Map<string, string>();
  for (const part of text.split(`--${boundary}`)) {
    const end = part.indexOf("\r\n\r\n");
    const [, quoted, bare] =
      /^content-disposition:[^\r\n]*;[ \t]*name=(?:"([^"\r\n]*)"|([\w-]+))/im.exec(part.slice(0, end)) ?? [];
    const name = quoted ?? bare;
    if (end >= 0 && name !== undefined && !fields.has(name)) fields.set(name, part.slice(end));
  }
  return (name) => fields.get(name) ?? null;
}

/** Reads the body as text. Resolves to an empty string if the body is too long or incomplete. */
async function readText(chunks: AsyncIterable<Uint8Array>, headers: HttpRequest["headers"]): Promise<string> {
  try {
    return Buffer.from(await readWholeBody(chunks, headers, MAX_BYTES)).toString("utf8");
  } catch (error) {
    if (isLoyaltyError(error, "storage_unavailable")) throw error;
    return "";
  }
}
