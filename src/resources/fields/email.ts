import { text } from "./text.js";

const MAX_EMAIL_LENGTH = 254;

/** Dot-separated atoms of RFC 5322. */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainLabel = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/** An email address: an ASCII local part of at most 64, and a domain of two labels or more, which may be international. */
export const emailText = text(MAX_EMAIL_LENGTH)
  .refine(isEmail, { error: "must be a valid email address" })
  .meta({ maxLength: MAX_EMAIL_LENGTH, format: "idn-email" });

function isEmail(address: string): boolean {
  // The patterns take linear time; the length keeps the rest of the work small as well.
  if (address.length > MAX_EMAIL_LENGTH * 4) return false;
  const at = address.indexOf("@");
  const local = address.slice(0, Math.max(at, 0));
  const labels = address.slice(at + 1).split(".");
  const top = labels.at(-1) ?? "";
  return (
    local.length <= 64 &&
    localPart.test(local) &&
    labels.length >= 2 &&
    labels.every((label) => domainLabel.test(label)) &&
    !/^\p{N}*$/u.test(top)
  );
}
