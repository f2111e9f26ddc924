/* The shape of a request body: the JSON types of each field, and the maximum length of a text. */

export const jsonTypes = ["null", "boolean", "integer", "fraction", "string", "array", "object"] as const;

export type JsonType = (typeof jsonTypes)[number];

/** A value of each JSON type. */
export const samples: Readonly<Record<JsonType, unknown>> = {
  null: null,
  boolean: true,
  integer: 7,
  fraction: 1.5,
  string: "text",
  array: [],
  object: {},
};

export interface Field {
  /** The JSON types that are accepted. */
  readonly types: readonly JsonType[];
  /** For a free-text field: its maximum length, or `null` if there is none. */
  readonly maxLength?: number | null;
}

export interface BodyShape {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  /** Creates a valid body with every field, which doesn't conflict with earlier bodies. */
  readonly valid: () => Readonly<Record<string, unknown>>;
  /** True if the body refers to something that doesn't exist: it is valid until that is looked up. */
  readonly namesNothing?: true;
  /** The fields by their paths in the body. */
  readonly fields: Readonly<Record<string, Field>>;
}

export const textField = (maxLength: number | null): Field => ({ types: ["string"], maxLength });
export const nullableTextField = (maxLength: number | null): Field => ({
  types: ["string", "null"],
  maxLength,
});
export const choice: Field = { types: ["string"] };
export const integer: Field = { types: ["integer"] };

let counter = 0;
export const newText = (text: string) => {
  counter += 1;
  return `${text}${counter}`;
};

export const boolean: Field = { types: ["boolean"] };
export const object: Field = { types: ["object"] };
export const array: Field = { types: ["array"] };
export const number: Field = { types: ["integer", "fraction"] };
export const nullableChoice: Field = { types: ["string", "null"] };

export type Fields = Readonly<Record<string, Field>>;

/** Prefixes the names of fields with the path of the field that contains them. */
export function prefixFields(path: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${path}.${name}`, field]));
}

export const filterFields = {
  filter: { types: ["object"] },
  "filter.operator": choice,
  "filter.conditions": { types: ["array"] },
  "filter.conditions.0": { types: ["object"] },
  "filter.conditions.0.slug": textField(null),
  "filter.filters": { types: ["array"] },
  "filter.filters.0": { types: ["object"] },
} satisfies Record<string, Field>;
export const buildFilter = () => ({ operator: "OR", conditions: [{ slug: "a" }], filters: [] });

/** Copies a body with another value at a path. */
export function withField(body: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(body);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target = copy;
  for (const key of keys)
    target = typeof target === "object" && target !== null ? Reflect.get(target, key) : target;
  if (typeof target === "object" && target !== null) Reflect.set(target, last, value);
  return copy;
}
