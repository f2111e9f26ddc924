import { createHash } from "node:crypto";
import * as z from "zod";
import { type PlainPicture, stripPicture } from "../values/picture.js";

const MAX_BYTES = 524_288;
const MAX_LENGTH = Math.ceil(MAX_BYTES / 3) * 4 + 64;

const hashForm = /^[0-9a-f]{64}$/;
const dataUrlForm = /^data:[^,;]{0,64};base64,/;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

const WRONG_FORM = "must be a data: URL of a base64 PNG or JPEG, or the hash of an uploaded picture";

/** A picture in a request, given either as its bytes or as the hash of a picture that the organization already has. */
export interface PictureChoice {
  /** The SHA-256 hash of the picture's bytes, in hexadecimal. */
  readonly hash: string;
  /** The decoded picture, or `null` if only its hash was given. */
  readonly content: PlainPicture | null;
}

/** Creates a picture choice from newly uploaded content, including the hash of its bytes. */
export function parsePictureChoice(content: PlainPicture): PictureChoice {
  return { hash: createHash("sha256").update(content.bytes).digest("hex"), content };
}

/**
 * The schema for a picture, given either as a `data:` URL or as the hash that the API returned for an earlier upload. It must be a
 * PNG or JPEG, as detected from its content, of at most 512 KiB and 2,048 pixels per side. Data in the file other than the picture
 * itself is discarded.
 */
export const pictureText = z
  .string()
  .transform((text, context): PictureChoice => {
    const choice = parsePicture(text);
    if (typeof choice !== "string") return choice;
    context.addIssue({ code: "custom", message: choice });
    return z.NEVER;
  })
  .meta({ maxLength: MAX_LENGTH });

/**
 * Parses a picture.
 * @returns the picture, or an error message.
 */
function parsePicture(text: string): PictureChoice | string {
  if (hashForm.test(text)) return { hash: text, content: null };
  if (text.length > MAX_LENGTH) return `must be at most ${MAX_BYTES} bytes`;
  const [start] = dataUrlForm.exec(text) ?? [];
  if (start === undefined || !base64Form.test(text.slice(start.length))) return WRONG_FORM;
  const bytes = Buffer.from(text.slice(start.length), "base64");
  if (bytes.byteLength > MAX_BYTES) return `must be at most ${MAX_BYTES} bytes`;
  const picture = stripPicture(bytes);
  return typeof picture === "string" ? picture : parsePictureChoice(picture);
}
