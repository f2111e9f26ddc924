import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as z from "zod";

const methods = ["get", "post", "put", "patch", "delete"] as const;

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema: schema.optional() }));
const response = z.object({ content: content.optional() });
const reference = z.object({ $ref: z.string() });
const operation = z.object({ responses: z.record(z.string(), z.union([reference, response])) });
const pathItem = z.object({
  get: operation.optional(),
  post: operation.optional(),
  put: operation.optional(),
  patch: operation.optional(),
  delete: operation.optional(),
});
const documentSchema = z.object({
  paths: z.record(z.string(), pathItem),
  components: z.object({
    schemas: z.record(z.string(), schema),
    responses: z.record(z.string(), response).default({}),
  }),
});

/** Yields every object inside a value, with its path. */
export function* listObjects(value: unknown, path = ""): Generator<[path: string, object: object]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value];
  for (const [key, child] of Object.entries(value)) yield* listObjects(child, `${path}/${key}`);
}

export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
}

/** The API's OpenAPI document, against which every response is checked. */
export class ApiDocument {
  private static readonly schemasByDocument = new Map<string, AnswerSchemas>();
  readonly source: z.output<typeof schema>;
  private readonly document: z.output<typeof documentSchema>;
  private readonly schemas: AnswerSchemas;
  private readonly templates: readonly { readonly template: string; readonly parts: readonly string[] }[];

  constructor(json: unknown) {
    this.source = schema.parse(json);
    this.document = documentSchema.parse(json);
    // Fixed paths take precedence over paths with parameters.
    this.templates = Object.keys(this.document.paths)
      .map((template) => ({ template, parts: template.split("/") }))
      .sort((a, b) => a.template.split("{").length - b.template.split("{").length);
    // Mounts differ only in their server's address, so they share the compiled schemas.
    const key = JSON.stringify({ ...this.source, servers: null });
    this.schemas =
      ApiDocument.schemasByDocument.get(key) ?? new AnswerSchemas(this.document.components.schemas);
    ApiDocument.schemasByDocument.set(key, this.schemas);
  }

  get operations(): DocumentedOperation[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      methods.flatMap((name) => {
        const found = item[name];
        if (found === undefined) return [];
        return [{ method: name.toUpperCase(), path, statuses: Object.keys(found.responses).map(Number) }];
      }),
    );
  }

  /** Fails if the document does not describe this response. @param path as requested, below the mount. */
  assertPromised(method: string, path: string, status: number, body: unknown): void {
    const found = this.findOperation(method === "HEAD" ? "GET" : method, path);
    if (found === null) {
      assert.ok([404, 405].includes(status), `${method} ${path} is not documented, but answered ${status}`);
      return;
    }
    const title = `${method} ${found.path} ${status}`;
    const promisedResponse = found.responses[status];
    assert.ok(promisedResponse, `${title} is not documented`);
    if (method === "HEAD") return;
    const { content } =
      "$ref" in promisedResponse ? this.resolveResponse(promisedResponse.$ref) : promisedResponse;
    assert.equal(body === undefined, content === undefined, `${title} has a body, or should have one`);
    if (content === undefined) return;
    const promisedSchema = content["application/json"]?.schema;
    assert.ok(promisedSchema, `${title} is not documented to be JSON`);
    const complaint = this.schemas.findSchemaError(title, promisedSchema, body);
    if (complaint !== null) assert.fail(`${title}: ${complaint} in ${JSON.stringify(body)}`);
  }

  /** Fails if the document does not describe a file of this media type. */
  assertPromisedFile(method: string, path: string, status: number, type: string): void {
    const promisedResponse = this.findOperation(method === "HEAD" ? "GET" : method, path)?.responses[status];
    assert.ok(
      promisedResponse !== undefined && "content" in promisedResponse,
      `${method} ${path} is not documented`,
    );
    assert.deepEqual(Object.keys(promisedResponse.content ?? {}), [type]);
  }

  private findOperation(method: string, path: string) {
    const name = methods.find((candidate) => candidate === method.toLowerCase());
    if (name === undefined) return null;
    const segments = (path.split("?")[0] ?? "").split("/");
    for (const { template, parts } of this.templates) {
      const found = this.document.paths[template]?.[name];
      if (found !== undefined && isMatch(parts, segments)) return { path: template, ...found };
    }
    return null;
  }

  private resolveResponse(pointer: string): z.output<typeof response> {
    const found = this.document.components.responses[pointer.replace("#/components/responses/", "")];
    assert.ok(found, `nothing at ${pointer}`);
    return found;
  }
}

/** The schemas of responses, each compiled on first use. */
class AnswerSchemas {
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

  constructor(components: Readonly<Record<string, unknown>>) {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $defs: withoutPointers(components) }, "components");
  }

  /** Returns why a body does not match the schema; `null` if it matches. */
  findSchemaError(title: string, schema: object, body: unknown): string | null {
    const validate = this.validators.get(title) ?? this.ajv.compile(withoutPointers(schema));
    this.validators.set(title, validate);
    return validate(body) ? null : this.ajv.errorsText(validate.errors);
  }
}

/** Makes references in the schema independent of its position. */
function withoutPointers<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"components#/$defs/'));
}

function isMatch(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (part.startsWith("{") ? segments[at] !== "" : part === segments[at]))
  );
}
