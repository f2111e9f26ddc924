import * as z from "zod";
import { createLoyaltyError, type UnknownKey } from "../../../src/base/errors.js";
import { MAX_REPORTED_FIELDS } from "../../../src/base/parse.js";
import { findNearestWord } from "../../../src/base/unknown-keys.js";
import { parsePairs } from "./http-message.js";

/** The type of a query parameter. A list is one string with commas between its items. */
type Kind = "integer" | "boolean" | "text" | "list";

/** Parses the query parameters that a schema declares. */
export class QueryReader {
  private readonly kinds: ReadonlyMap<string, Kind>;

  constructor(schema: z.ZodObject | undefined) {
    const { properties = {} } = schema === undefined ? {} : z.toJSONSchema(schema, { io: "input" });
    this.kinds = new Map(
      Object.entries(properties).map(([name, property]) => [name, findParameterKind(property)]),
    );
  }

  /**
   * Returns the declared parameters, converted to their declared types. Ignores unknown parameters.
   * @param query the part of the URL after the question mark.
   * @throws {LoyaltyError} `malformed_request` if any percent-encoding is malformed, or `wrong_param_type` with the names of all
   *   parameters that have the wrong type or are repeated.
   */
  read(query: string): Record<string, unknown> {
    const values = new Map<string, unknown>();
    const invalidNames = new Set<string>();
    for (const [name, text] of parsePairs(query)) {
      const kind = this.kinds.get(name);
      if (kind === undefined) continue;
      const value = parseValue(kind, text);
      if (value === undefined || values.has(name)) invalidNames.add(name);
      values.set(name, value);
    }
    if (invalidNames.size > 0) throw createLoyaltyError("wrong_param_type", [...invalidNames]);
    return Object.fromEntries(values);
  }

  /** Returns up to `MAX_REPORTED_FIELDS` of the query's unknown parameters, which {@link read} ignores. */
  findUnknownParameters(query: string): UnknownKey[] {
    const names = new Set(parsePairs(query).map(([name]) => name));
    const unknownNames = [...names].filter((name) => !this.kinds.has(name)).slice(0, MAX_REPORTED_FIELDS);
    return unknownNames.map((name) => ({ path: name, near: findNearestWord(name, [...this.kinds.keys()]) }));
  }
}

function findParameterKind(property: z.core.JSONSchema._JSONSchema): Kind {
  const type = typeof property === "boolean" ? undefined : property.type;
  if (type === "array") return "list";
  return type === "integer" || type === "boolean" ? type : "text";
}

/** Converts text to a parameter's type; `undefined` if it doesn't fit. */
function parseValue(kind: Kind, text: string): unknown {
  switch (kind) {
    case "integer": {
      const value = /^-?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      // Adding zero turns -0 into 0.
      return Number.isSafeInteger(value) ? value + 0 : undefined;
    }
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "text":
      return text;
    case "list":
      return text.split(",");
  }
}
