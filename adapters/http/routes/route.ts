import type { z } from "zod";
import type { ErrorCode } from "../../../src/errors.js";
import type { Organization } from "../../../src/organization.js";
import type { Scope } from "../../../src/scopes.js";

/** The methods that routes have. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The resource under which the reference lists a route. */
export type Tag =
  | "User tags"
  | "Users"
  | "Contacts"
  | "Templates"
  | "Wallet passes"
  | "Stamps"
  | "Events"
  | "Webhooks"
  | "Statistics"
  | "API keys"
  | "Apps"
  | "Audit"
  | "Reference";

interface Description<Path extends string> {
  readonly method: Method;
  /** In OpenAPI form: `/v1/users/{userId}`. */
  readonly path: Path;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly description?: string;
  /** What a successful answer is, in words. */
  readonly answer: string;
}

/** The route of the OpenAPI document, which needs no token. */
export interface DocumentRoute extends Description<string> {
  readonly method: "GET";
  readonly scope: null;
}

/** The parameters that a path names: `/v1/users/{userId}` has `userId`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;

/** What a use case gets of the request, typed as the schemas ask for it. Whether it is so, the core checks. */
export interface Input<Path extends string, Query, Body> {
  readonly params: PathParams<Path>;
  readonly query: Query;
  readonly body: Body;
}

interface Call<Path extends string, Query extends z.ZodObject, Body extends z.ZodType>
  extends Description<Path> {
  readonly scope: Scope;
  readonly query?: Query;
  /** Without it no body is read. */
  readonly body?: Body;
  /** Whether a request without a body is as one with an empty object. */
  readonly needsNoBody?: true;
  /** The errors of the use case itself. What follows from the token, the query or the body is added to them. */
  readonly errors: readonly ErrorCode[];
}

/** A route that answers with what one use case gives. */
export interface Operation<Path extends string, Query extends z.ZodObject, Body extends z.ZodType>
  extends Call<Path, Query, Body> {
  readonly streamed?: false;
  readonly status: 200 | 201 | 204;
  /** `null` for an answer without a body. */
  readonly output: z.ZodType | null;
  /**
   * The scopes that the caller needs besides for this body. A repeat with an idempotency key does not come to the use
   * case, which asks for them otherwise.
   */
  readonly scopesFor?: (body: unknown) => readonly Scope[];
  // A method, not a property: only so do routes of different inputs fit into one table.
  handle(organization: Organization, input: Input<Path, z.input<Query>, z.input<Body>>): Promise<unknown>;
}

/** A route that streams the items of one use case as a JSON array, with status 200. */
export interface StreamedList<Path extends string, Query extends z.ZodObject, Body extends z.ZodType>
  extends Call<Path, Query, Body> {
  readonly streamed: true;
  /** Of one item. */
  readonly output: z.ZodType;
  /** Since when the route is deprecated, in Unix seconds, and the path that takes its place. */
  readonly deprecated?: { readonly since: number; readonly successor: string };
  items(
    organization: Organization,
    input: Input<Path, z.input<Query>, z.input<Body>>,
  ): AsyncIterable<unknown>;
}

/** Any route that answers with one JSON document or with nothing. */
export type OperationRoute = Operation<string, z.ZodObject, z.ZodType>;

/** Any route that answers with an array, which is sent as it is read. */
export type ListRoute = StreamedList<string, z.ZodObject, z.ZodType>;

/** One entry of the route table. */
export type Route = DocumentRoute | OperationRoute | ListRoute;

/** Checks the types of a route's parts against each other. */
export function operation<const Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
  route: Operation<Path, Query, Body>,
): OperationRoute {
  return route;
}

/** {@link operation} for a streamed list. */
export function streamedList<const Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
  route: StreamedList<Path, Query, Body>,
): ListRoute {
  return route;
}
