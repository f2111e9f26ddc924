import { type ErrorCode, errorCodes } from "../../../src/base/errors.js";
import { type ErrorFormat, getErrorFormat, RETRY_AFTER_SECONDS } from "../error-response.js";
import { describeHeader, type OpenApiNode, sharedHeaderRefs } from "./parameters.js";

const singleString = { type: "array", items: { type: "string" }, minItems: 1, maxItems: 1 };

/** The schemas of all error formats except `General`, whose schema depends on the possible error codes. */
export const errorFormats: Readonly<Record<Exclude<ErrorFormat, "General">, OpenApiNode>> = {
  AccessDenied: buildClosedObject({
    code: { type: "string", const: "access_denied", description: "The error code." },
    message: { type: "string", description: "A message that names the required scope." },
  }),
  StandardValidation: buildClosedObject({
    STANDARD_VALIDATION: {
      type: "object",
      description:
        "A message for each invalid field. Nested fields are identified by their path, such as " +
        "`user.email`.",
      additionalProperties: { type: "string" },
    },
  }),
  CustomValidation: buildClosedObject({
    CUSTOM_VALIDATION: {
      type: "object",
      description:
        "The values that are already in use by another user, or the line whose returns would exceed what was " +
        "bought, grouped by error code.",
      properties: {
        email_already_exists: {
          ...singleString,
          description: "The email address already in use by another user.",
        },
        external_id_already_exists: {
          ...singleString,
          description: "The external ID already in use by another user.",
        },
        more_than_bought: {
          ...singleString,
          description: "The path of the line whose returns would exceed what was bought.",
        },
      },
      additionalProperties: false,
    },
  }),
};

/** Params of the examples; `null` for all other codes. */
const exampleParams: Partial<Record<ErrorCode, readonly string[]>> = {
  wrong_param_type: ["size"],
  user_tag_already_exists: ["very-important"],
  user_tag_already_assigned: ["very-important"],
  segment_already_exists: ["reward-waiting"],
  segment_in_use: ["win-back"],
};

/** Builds the schema of an error body that can have any of these codes. */
export function buildErrorSchema(codes: readonly ErrorCode[]): OpenApiNode {
  const general = codes.filter((code) => getErrorFormat(code) === "General");
  const formats = new Set(codes.map(getErrorFormat));
  const schemas = [...formats].map((format) =>
    format === "General" ? buildGeneralSchema(general) : { $ref: `#/components/schemas/${format}` },
  );
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { oneOf: schemas };
}

/** Returns an example error body for the OpenAPI document, in the format for this code (see {@link getErrorFormat}). */
export function buildErrorExample(code: ErrorCode): unknown {
  switch (getErrorFormat(code)) {
    case "AccessDenied":
      return { code, message: "The scope user:read is required." };
    case "StandardValidation":
      return { STANDARD_VALIDATION: { name: "must not be blank" } };
    case "CustomValidation":
      return {
        CUSTOM_VALIDATION:
          code === "more_than_bought"
            ? { more_than_bought: ["lines.0"] }
            : { email_already_exists: ["ada@example.com"] },
      };
    case "General":
      return { code, params: exampleParams[code] ?? null };
  }
}

export function describeErrorCode(code: ErrorCode): string {
  return `\`${code}\`: ${errorCodes[code].meaning}`;
}

function buildGeneralSchema(codes: readonly ErrorCode[]): OpenApiNode {
  return buildClosedObject({
    code: { type: "string", enum: codes, description: "The error code." },
    params: {
      type: ["array", "null"],
      items: { type: "string" },
      description:
        "Values related to the error, such as the name of an invalid field or the time when you can retry. " +
        "`null` if there are no such values.",
    },
  });
}

function buildClosedObject(properties: OpenApiNode): OpenApiNode {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

const allCodes = Object.keys(errorCodes) as ErrorCode[];

const retryAfterHeader: OpenApiNode = {
  "Retry-After": describeHeader(
    "The number of seconds to wait before retrying.",
    String(RETRY_AFTER_SECONDS),
  ),
};

const headersByCode: Partial<Record<ErrorCode, OpenApiNode>> = {
  unauthorized: {
    "WWW-Authenticate": describeHeader(
      '`Bearer`, with `error="invalid_token"` if a token was sent.',
      'Bearer error="invalid_token"',
    ),
  },
  method_not_allowed: {
    Allow: describeHeader("The methods this path supports.", "GET, HEAD, PATCH, DELETE"),
  },
  rate_limit_exceeded: {
    "Retry-After": describeHeader("The number of seconds to wait before the next request.", "17"),
    ...sharedHeaderRefs,
  },
  access_denied: {
    "WWW-Authenticate": describeHeader(
      "Names the scope that the token lacks (RFC 6750, section 3).",
      'Bearer error="insufficient_scope", scope="user:read"',
    ),
  },
  resource_not_found: {
    "Loyalty-Missing": describeHeader(
      "The `object` type of the missing resource, if the token is allowed to read that type.",
      "user",
    ),
  },
  idempotency_key_in_use: retryAfterHeader,
  storage_unavailable: retryAfterHeader,
};

/** The error responses that operations refer to, one per error code. */
export const errorResponses: OpenApiNode = Object.fromEntries(
  allCodes.map((code) => [code, buildResponse([code])]),
);

/** Builds an operation's error responses, keyed by status. */
export function buildErrorResponses(possibleErrors: readonly ErrorCode[]): OpenApiNode {
  const statuses = new Set(possibleErrors.map((code) => errorCodes[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const statusCodes = allCodes.filter(
        (code) => possibleErrors.includes(code) && errorCodes[code].status === status,
      );
      return [
        status,
        statusCodes.length === 1
          ? { $ref: `#/components/responses/${statusCodes[0]}` }
          : buildResponse(statusCodes),
      ];
    }),
  );
}

function buildResponse(possibleErrors: readonly ErrorCode[]): OpenApiNode {
  const examples = possibleErrors.map((code) => [code, { value: buildErrorExample(code) }]);
  return {
    description: possibleErrors.map(describeErrorCode).join("\n\n"),
    ...pickHeaders(possibleErrors),
    content: {
      "application/json": {
        schema: buildErrorSchema(possibleErrors),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function pickHeaders(possibleErrors: readonly ErrorCode[]): OpenApiNode {
  const needed = Object.assign({}, ...possibleErrors.map((code) => headersByCode[code]));
  return Object.keys(needed).length === 0 ? {} : { headers: needed };
}
