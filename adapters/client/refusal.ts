import {
  type ErrorDetail,
  errorCodes,
  isMissing,
  LoyaltyError,
  type UserConflicts,
} from "../../src/errors.js";

type PlainCode = Extract<ErrorDetail, { readonly params: unknown }>["code"];

const withDetail: readonly string[] = ["access_denied", "validation_failed", "user_already_exists"];

/** The error that an answer tells of by its body, and which thing is missing by a header; `null` when it is none of the interface. */
export function refusalOf(text: string, headers: Headers): LoyaltyError | null {
  const detail = detailOf(parsed(text));
  if (detail === null) return null;
  const missing = headers.get("loyalty-missing");
  return new LoyaltyError(detail, { missing: isMissing(missing) ? missing : null });
}

function detailOf(body: Readonly<Record<string, unknown>>): ErrorDetail | null {
  const { code, params, message, STANDARD_VALIDATION: fields, CUSTOM_VALIDATION: conflicts } = body;
  if (isObject(fields)) return { code: "validation_failed", fields: asOfLibrary(fields) };
  if (isConflicts(conflicts)) return { code: "user_already_exists", conflicts };
  if (code === "access_denied") {
    return { code, scope: /The scope (\S+) is required/.exec(String(message))?.[1] ?? "" };
  }
  if (typeof code !== "string" || !isPlainCode(code)) return null;
  return { code, params: Array.isArray(params) ? params.map(String) : null };
}

/** The messages by their fields, of which the library calls one otherwise than HTTP. */
function asOfLibrary(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, message]) => [
      name === "Idempotency-Key" ? "idempotencyKey" : name,
      String(message),
    ]),
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isConflicts(value: unknown): value is UserConflicts {
  return isObject(value) && ("email_already_exists" in value || "external_id_already_exists" in value);
}

function isPlainCode(code: string): code is PlainCode {
  return Object.hasOwn(errorCodes, code) && !withDetail.includes(code);
}
