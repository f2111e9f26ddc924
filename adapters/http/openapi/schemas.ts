import * as z from "zod";
import type { Route } from "../routes.js";
import { examples } from "./examples.js";
import { describeField } from "./field-descriptions.js";
import type { JsonSchema } from "./parameters.js";
import { webhookTestSchema } from "./webhooks.js";

/** The JSON Schemas for the inputs and outputs of all routes. */
export interface RouteSchemas {
  /** The schemas in the document's `components` section, keyed by name. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** Schemas of query parameters, keyed by operation ID. */
  readonly query: Schemas;
  readonly body: Schemas;
  readonly output: Schemas;
}

type Schemas = ReadonlyMap<string, JsonSchema>;

/** Builds the schemas of all requests and responses. Each named schema is built only once. */
export function buildSchemas(routes: readonly Route[]): RouteSchemas {
  const calls = routes.filter((route) => route.scope !== null);
  const query = buildJsonSchemas(
    calls.map(({ operationId, query }) => [operationId, query]),
    "input",
  );
  const body = buildJsonSchemas(
    calls.map(({ operationId, body }) => [operationId, body]),
    "input",
    moveDefaultToDescription,
  );
  const output = buildJsonSchemas(
    [
      ...calls.map(({ operationId, streamed, output }): [string, z.ZodType | undefined] => [
        operationId,
        streamed && output !== null ? z.array(output) : (output ?? undefined),
      ]),
      ["webhooks", webhookTestSchema],
    ],
    "output",
  );
  return {
    // A request may omit fields with a default.
    components: addExamples({ ...output.components, ...query.components, ...body.components }),
    query: query.schemas,
    body: body.schemas,
    output: output.schemas,
  };
}

/** Converts schemas to JSON Schema. As fields of a single object, zod names and references each schema the same way everywhere. */
function buildJsonSchemas(
  entries: readonly [operationId: string, schema: z.ZodType | undefined][],
  io: "input" | "output",
  transform: (schema: JsonSchema) => void = () => {},
) {
  const fields = entries.flatMap(([id, schema]) => (schema === undefined ? [] : [[id, schema] as const]));
  const jsonSchema = z.toJSONSchema(z.object(Object.fromEntries(fields)), {
    io,
    // JSON Schema can't express some types; their own metadata describes them.
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      simplify(jsonSchema);
      transform(jsonSchema);
    },
  });
  const nested = findNestedDefinitions([jsonSchema.properties, jsonSchema.$defs]);
  jsonSchema.$defs = { ...nested, ...jsonSchema.$defs };
  for (const schemas of [jsonSchema.$defs, jsonSchema.properties])
    for (const [name, schema] of Object.entries(schemas ?? {})) describeFields(schema, name);
  const { $defs = {}, properties = {} } = moveToComponents(jsonSchema);
  return { components: $defs, schemas: new Map(Object.entries(properties)) };
}

/** Takes out the definitions that lists keep beside their items. References look for them at the top. */
function findNestedDefinitions(schema: unknown): Record<string, JsonSchema> {
  if (typeof schema !== "object" || schema === null) return {};
  const definitions: Record<string, JsonSchema> = {};
  if ("$defs" in schema) {
    Object.assign(definitions, schema.$defs);
    delete schema.$defs;
  }
  for (const value of Object.values(schema)) Object.assign(definitions, findNestedDefinitions(value));
  return definitions;
}

/**
 * Replaces a default with a note in the description. Client generators would otherwise treat a field with a default as always
 * present.
 */
function moveDefaultToDescription(schema: JsonSchema): void {
  if (schema.default === undefined) return;
  const note = `Default: \`${JSON.stringify(schema.default)}\`.`;
  schema.description = schema.description === undefined ? note : `${schema.description} ${note}`;
  delete schema.default;
}

/**
 * Adds to each field of a schema, at all depths, the sentence about it.
 * @param owner the name of the schema, or of the field that contains it.
 */
function describeFields(schema: unknown, owner: string): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword !== "properties") describeFields(value, owner);
    else
      for (const [name, field] of Object.entries<JsonSchema>(value)) {
        const sentences = [describeField(name, owner), field.description].filter(
          (each) => each !== undefined,
        );
        if (sentences.length > 0) field.description = sentences.join(" ");
        describeFields(field, name);
      }
  }
}

/** Removes keywords that repeat the type or format next to them. */
function simplify(schema: JsonSchema): void {
  if (schema.format === "date-time") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * Converts an object that has several forms to a union of whole objects. Client generators can't derive the forms from `required`
 * alone, and would generate a type that allows none of the forms, or two.
 */
function expandForms(schema: JsonSchema): JsonSchema {
  const { oneOf: forms, properties, required = [], type = "object", additionalProperties, ...rest } = schema;
  if (forms === undefined || properties === undefined) return schema;
  const getRequiredFields = (form: JsonSchema) => form.required ?? [];
  const formFields = new Set(forms.flatMap(getRequiredFields));
  const oneOf = forms.map((form) => {
    const isFieldOfOtherForm = (name: string) =>
      formFields.has(name) && !getRequiredFields(form).includes(name);
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      isFieldOfOtherForm(name) ? false : field,
    ]);
    return {
      ...{
        type,
        properties: Object.fromEntries(fields),
        required: [...getRequiredFields(form), ...required],
      },
      ...(additionalProperties !== undefined && { additionalProperties }),
    };
  });
  return { ...rest, oneOf };
}

function moveToComponents(
  schema: JsonSchema,
): Pick<JsonSchema, "$defs"> & { properties?: Record<string, JsonSchema> } {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text, (_, value) => (Object(value) === value ? expandForms(value) : value));
}

function addExamples(components: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const sortedComponents = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sortedComponents.map(([name, schema]) => [
      name,
      name in examples ? { ...schema, examples: [examples[name]] } : schema,
    ]),
  );
}
