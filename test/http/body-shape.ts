/* How the body of a request is described: which JSON types each field takes, and how long its text may be. */

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
  /** The JSON types that are no wrong type. */
  readonly types: readonly JsonType[];
  /** Of a field of free text: how many characters it may have, or `null` for any number. */
  readonly maxLength?: number | null;
}

export interface BodyShape {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  /** Makes a body that is right, with every field, and in no conflict with those made before. */
  readonly valid: () => Readonly<Record<string, unknown>>;
  /** True where it names what is not there: it is right until that is looked for. */
  readonly namesNothing?: true;
  /** By their paths in the body. */
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

/** Fields that are inside of another one. */
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

/** A copy of a body with another value at a path. */
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
