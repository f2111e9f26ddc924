import * as z from "zod";
import { createLoyaltyError } from "../../../src/errors.js";
import { MAX_REPORTED_FIELDS } from "../../../src/resources/parse.js";
import { parsePairs } from "./http-message.js";

/** A list is one text, with commas between its items. */
type Kind = "integer" | "boolean" | "text" | "list";

/** Reads the query parameters that a schema names. */
export class QueryReader {
  private readonly kinds: ReadonlyMap<string, Kind>;

  constructor(schema: z.ZodObject | undefined) {
    const { properties = {} } = schema === undefined ? {} : z.toJSONSchema(schema, { io: "input" });
    this.kinds = new Map(
      Object.entries(properties).map(([name, property]) => [name, findParameterKind(property)]),
    );
  }

  /**
   * Returns the known parameters, converted to their types. Unknown ones are ignored.
   * @param query the text after the question mark.
   * @throws {LoyaltyError} `malformed_request` for a malformed percent-encoding anywhere; `wrong_param_type` naming every parameter
   *   that has the wrong type or occurs twice.
   */
  read(query: string): Record<string, unknown> {
    const values = new Map<string, unknown>();
    const wrong = new Set<string>();
    for (const [name, text] of parsePairs(query)) {
      const kind = this.kinds.get(name);
      if (kind === undefined) continue;
      const value = parsed(kind, text);
      if (value === undefined || values.has(name)) wrong.add(name);
      values.set(name, value);
    }
    if (wrong.size > 0) throw createLoyaltyError("wrong_param_type", [...wrong]);
    return Object.fromEntries(values);
  }

  /** The names that {@link read} ignores: the first of them. */
  unknown(query: string): string[] {
    const names = new Set(parsePairs(query).map(([name]) => name));
    return [...names].filter((name) => !this.kinds.has(name)).slice(0, MAX_REPORTED_FIELDS);
  }
}

function findParameterKind(property: z.core.JSONSchema._JSONSchema): Kind {
  const type = typeof property === "boolean" ? undefined : property.type;
  if (type === "array") return "list";
  return type === "integer" || type === "boolean" ? type : "text";
}

/** `undefined` when the text is not of this kind. */
function parsed(kind: Kind, text: string): unknown {
  switch (kind) {
    case "integer": {
      const value = /^-?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      // Adding zero makes the 0 of "-0" an ordinary one.
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
