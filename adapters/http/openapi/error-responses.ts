import { type ErrorCode, errorCodes } from "../../../src/errors.js";
import { RETRY_AFTER_SECONDS } from "../error-answer.js";
import { errorExample, errorSchema, meaningOf, type Part } from "./error-formats.js";
import { header, referencesToShared } from "./headers.js";

const codes = Object.keys(errorCodes) as ErrorCode[];

const nextTry: Part = {
  "Retry-After": header("How many seconds to wait before the next try.", String(RETRY_AFTER_SECONDS)),
};

const headers: Partial<Record<ErrorCode, Part>> = {
  unauthorized: {
    "WWW-Authenticate": header(
      '`Bearer`, with `error="invalid_token"` when a token was sent.',
      'Bearer error="invalid_token"',
    ),
  },
  method_not_allowed: { Allow: header("The methods that the path has.", "GET, HEAD, PATCH, DELETE") },
  rate_limit_exceeded: {
    "Retry-After": header("How many seconds to wait before the next request.", "17"),
    ...referencesToShared,
  },
  access_denied: {
    "WWW-Authenticate": header(
      "The scope that the token lacks (RFC 6750, section 3).",
      'Bearer error="insufficient_scope", scope="user:read"',
    ),
  },
  resource_not_found: {
    "Loyalty-Missing": header(
      "Which of the things that the request names is not there, by its `object`, where the token may see such things.",
      "user",
    ),
  },
  idempotency_key_in_use: nextTry,
  storage_unavailable: nextTry,
};

/** An answer for each code, which operations refer to. */
export const errorResponses: Part = Object.fromEntries(codes.map((code) => [code, responseOf([code])]));

/** What an operation answers to these errors, by status. */
export function errorResponsesOf(answered: readonly ErrorCode[]): Part {
  const statuses = new Set(answered.map((code) => errorCodes[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = codes.filter((code) => answered.includes(code) && errorCodes[code].status === status);
      return [
        status,
        ofStatus.length === 1 ? { $ref: `#/components/responses/${ofStatus[0]}` } : responseOf(ofStatus),
      ];
    }),
  );
}

function responseOf(answered: readonly ErrorCode[]): Part {
  const examples = answered.map((code) => [code, { value: errorExample(code) }]);
  return {
    description: answered.map(meaningOf).join("\n\n"),
    ...headersOf(answered),
    content: {
      "application/json": { schema: errorSchema(answered), examples: Object.fromEntries(examples) },
    },
  };
}

function headersOf(answered: readonly ErrorCode[]): Part {
  const needed = Object.assign({}, ...answered.map((code) => headers[code]));
  return Object.keys(needed).length === 0 ? {} : { headers: needed };
}
