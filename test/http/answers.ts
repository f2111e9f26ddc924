import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/* Expected responses of the API. */

export const ok = (body: unknown) => ({ status: 200, body });
export const created = (body: unknown) => ({ status: 201, body });
export const deleted = { status: 204, body: undefined };

const general = (status: number, code: string, params: unknown = null) => ({
  status,
  body: { code, params },
});

export const malformed = general(400, "malformed_request");
export const unauthorized = general(401, "unauthorized");
export const notFound = general(404, "resource_not_found");
export const methodNotAllowed = general(405, "method_not_allowed");
export const tooLarge = general(413, "payload_too_large");
export const unsupportedMediaType = general(415, "unsupported_media_type");
export const conflict = (code: string, ...params: string[]) =>
  general(409, code, params.length === 0 ? null : params);

export const tooManyRequests = general(429, "rate_limit_exceeded");

/** 400 for exactly these fields or parameters, in any order. */
export const wrongType = (...names: string[]) => general(400, "wrong_param_type", inAnyOrder(names));

/** 422 for exactly these fields, each with a message. */
export const invalid = (...fields: string[]) => ({
  status: 422,
  body: {
    STANDARD_VALIDATION: Object.fromEntries(fields.map((field) => [field, expect.stringMatching(/\S/)])),
  },
});

export const denied = (scope: string) => ({
  status: 403,
  body: { code: "access_denied", message: expect.stringContaining(scope) },
});

/** 409 for values of another user. */
export const taken = (values: { email?: string; externalId?: string }) => ({
  status: 409,
  body: {
    CUSTOM_VALIDATION: {
      ...(values.email !== undefined && { email_already_exists: [values.email] }),
      ...(values.externalId !== undefined && { external_id_already_exists: [values.externalId] }),
    },
  },
});

function inAnyOrder(items: readonly string[]) {
  const expected = items.toSorted();
  return expect.toSatisfy(
    (value: unknown) => Array.isArray(value) && isDeepStrictEqual(value.toSorted(), expected),
    `to be ${expected.join(", ")} in any order`,
  );
}
