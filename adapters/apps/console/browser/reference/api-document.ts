import { mount } from "../api/session.js";
import { reference } from "../words/en/reference.js";

/** The parts of an OpenAPI document that the API reference uses. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, MediaType>> };
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}

interface MediaType {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** An operation from the OpenAPI document, together with its method and path. */
export interface ApiOperation extends Omit<OperationObject, "parameters"> {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  /** An example request body, or `null` if the operation takes no body. */
  readonly body: string | null;
}

const methods = ["get", "post", "put", "patch", "delete"];

export async function loadDocument(): Promise<ApiDocument> {
  const response = await fetch(`${mount}/v1/openapi.json`);
  if (!response.ok) throw new Error(reference.noDocument(response.status));
  return response.json();
}

export function listOperations(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = (operation.parameters ?? []).filter((each) => "name" in each);
      const media = operation.requestBody?.content?.["application/json"];
      const body = media === undefined ? null : JSON.stringify(pickExample(media), null, 2);
      const tag = operation.tags?.[0] ?? reference.other;
      return [{ ...operation, method: method.toUpperCase(), path, tag, parameters: parameters, body }];
    }),
  );
}

function pickExample({ example, examples }: MediaType): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? {};
}
