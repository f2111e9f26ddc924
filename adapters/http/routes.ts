import type * as z from "zod";
import { type ErrorCode, notFound } from "../../src/base/errors.js";
import type { Scope } from "../../src/base/scopes.js";
import type { ExtraRoute, FileForm, HttpOperation, RouteInput, Tag } from "../../src/kernel/operation.js";
import { listRouteParams, parseRoute } from "../../src/kernel/operation-arguments.js";
import type { RouteText } from "../../src/kernel/routes.js";
import type { Groups } from "../../src/operation-groups.js";
import { type AnyOperation, operations, routeTable, toScopeList } from "../../src/operation-table.js";
import { decodeUrlPart } from "./request/http-message.js";
import { QueryReader } from "./request/query.js";

/** A node in the tree of path segments. */
class Branch<Target> {
  readonly fixed = new Map<string, Branch<Target>>();
  parameter: Branch<Target> | null = null;
  /** The targets for a path that ends here, keyed by method. */
  readonly targets = new Map<string, Segment<Target>>();
}

interface Segment<Target> {
  readonly target: Target;
  /** The names of the path's parameters, each with the index of its segment. */
  readonly parameters: readonly (readonly [name: string, at: number])[];
}

/** The target that matches a path, and the path's segments. */
interface RouterMatch<Target> extends Segment<Target> {
  readonly segments: readonly string[];
}

/**
 * Finds targets by method and path. Each segment of a route's path is either fixed or a parameter, written `{name}` as in
 * OpenAPI. Fixed segments take precedence over parameters. The router tries a parameter only if the fixed segment leads to no
 * target for the method. A parameter never matches an empty segment.
 *
 * Segments are stored in maps, because looking up an ID as an object's property would first search V8's table of internalized
 * strings.
 */
class Router<Target> {
  private readonly root = new Branch<Target>();

  /**
   * Adds a target for a method and path.
   * @param path the path, which must begin with a slash.
   */
  add(method: string, path: string, target: Target): void {
    let branch = this.root;
    const parameters: [string, number][] = [];
    for (const [index, segment] of splitPath(path).entries()) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) parameters.push([name, index]);
      branch = name === undefined ? getOrCreateFixed(branch, segment) : getOrCreateParameter(branch);
    }
    branch.targets.set(method, { target, parameters });
  }

  /**
   * Returns the match for a path, or `null` if there is none.
   * @param path the path, still percent-encoded, so that an encoded slash is part of its segment.
   */
  find(method: string, path: string): RouterMatch<Target> | null {
    if (!path.startsWith("/")) return null;
    const segments = splitPath(path);
    const match = findTarget(this.root, segments, 0, method);
    return match && { target: match.target, parameters: match.parameters, segments };
  }
}

/** Splits a path by hand. `split` searches V8's cache of earlier results first, which makes it slower for paths with IDs. */
function splitPath(path: string): string[] {
  const segments: string[] = [];
  let from = 1;
  for (let to = path.indexOf("/", from); to !== -1; to = path.indexOf("/", from)) {
    segments.push(path.slice(from, to));
    from = to + 1;
  }
  segments.push(path.slice(from));
  return segments;
}

function getOrCreateFixed<Target>(branch: Branch<Target>, segment: string): Branch<Target> {
  const next = branch.fixed.get(segment) ?? new Branch<Target>();
  branch.fixed.set(segment, next);
  return next;
}

function getOrCreateParameter<Target>(branch: Branch<Target>): Branch<Target> {
  branch.parameter ??= new Branch();
  return branch.parameter;
}

function findTarget<Target>(
  branch: Branch<Target>,
  segments: readonly string[],
  at: number,
  method: string,
): Segment<Target> | null {
  const segment = segments[at];
  if (segment === undefined) return branch.targets.get(method) ?? null;
  const fixed = branch.fixed.get(segment);
  const match = fixed === undefined ? null : findTarget(fixed, segments, at + 1, method);
  if (match !== null || branch.parameter === null || segment === "") return match;
  return findTarget(branch.parameter, segments, at + 1, method);
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RouteDescription {
  /** The HTTP method. */
  readonly method: Method;
  /** The path in OpenAPI format, such as `/v1/users/{userId}`. */
  readonly path: string;
  /** The name of the operation, unique among all. */
  readonly operationId: string;
  /** The group that the reference lists the operation in. */
  readonly tag: Tag;
  /** What the operation does, in a line. */
  readonly summary: string;
  /** Details that the summary leaves out. */
  readonly description?: string;
  /** Describes the successful response. */
  readonly answer: string;
}

/** The route that serves the OpenAPI document. It requires no token. */
export interface DocumentRoute extends RouteDescription {
  readonly method: "GET";
  /** Always `null`, because the route requires no scope. */
  readonly scope: null;
}

interface Call extends RouteDescription {
  /** The scope that the caller needs. */
  readonly scope: Scope;
  /** Whether the call only reads. */
  readonly isRead: boolean;
  /** All scopes that the caller needs, beginning with `scope`. */
  readonly scopes: readonly Scope[];
  /** A scope that is accepted instead of all of `scopes`. */
  readonly orScope?: Scope;
  /** The schema of the query; absent if no parameter is read. */
  readonly query?: z.ZodObject;
  /** The body's schema. If it is absent, the body isn't read. */
  readonly body?: z.ZodType;
  /** If `true`, a request without a body is treated as if it had sent an empty object. */
  readonly needsNoBody?: true;
  /** Errors specific to the use case. Errors that any token, query or body can cause are added automatically. */
  readonly errors: readonly ErrorCode[];
}

/** A route whose response is a single JSON document or has no body. */
export interface OperationRoute extends Call {
  /** Always `false`, which distinguishes this route from routes that stream their response. */
  readonly streamed: false;
  /** The HTTP status of a successful response. */
  readonly status: 200 | 201 | 202 | 204;
  /** The status to send if the call created the resource instead of returning an existing one. */
  readonly statusOfNew?: 201;
  /** The path of the collection that contains the new resource. The `Location` header is built from it. */
  readonly location?: `/v1/${string}`;
  /** The schema of the response body, or `null` if the response has none. */
  readonly output: z.ZodType | null;
  /** Returns the additional scopes that a request with this body requires. */
  readonly scopesFor?: (body: unknown) => readonly Scope[];
  /** Set if a page of results can be several megabytes in size and must be serialized in chunks. */
  readonly isWide?: true;
  /** Calls the operation and resolves to its result. */
  handle(organization: Groups, input: Input): Promise<unknown>;
}

/** A route that streams a list as a JSON array, with status 200. */
export interface ListRoute extends Call {
  /** Always `true`, which distinguishes this route from routes that send a single document. */
  readonly streamed: true;
  readonly output: z.ZodType;
  /**
   * Set if the route is deprecated. `since` is the time when it was deprecated, in seconds since the Unix epoch. `successor` is
   * the path of the route that replaces it.
   */
  readonly deprecated?: { readonly since: number; readonly successor: string };
  /** Calls the operation and yields the list's items. */
  items(organization: Groups, input: Input): AsyncIterable<unknown>;
}

/** A route that streams a file, with status 200. */
export interface FileRoute extends Call {
  /** Always `true`, which distinguishes this route from routes that send a single document. */
  readonly streamed: true;
  /** Always `null`, because the file has no schema. */
  readonly output: null;
  /** The content type and file name of the file that the route returns. */
  readonly file: FileForm;
  /** Calls the operation and yields the file's bytes. */
  bytes(organization: Groups, input: Input): AsyncIterable<unknown>;
}

export type CallRoute = OperationRoute | ListRoute | FileRoute;
export type Route = DocumentRoute | CallRoute;

/** A request's values, before the core checks them. */
interface Input extends RouteInput {
  readonly params: Readonly<Record<string, string>>;
}

const tags: Readonly<Record<keyof Groups, Tag>> = {
  tags: "User tags",
  users: "Users",
  contacts: "Contacts",
  templates: "Templates",
  passes: "Wallet passes",
  stamps: "Stamps",
  points: "Points",
  purchases: "Purchases",
  events: "Events",
  webhooks: "Webhooks",
  segments: "Segments",
  statistics: "Statistics",
  apiTokens: "API tokens",
  people: "People",
  apps: "Apps",
  grants: "Apps",
  subscriptions: "Users",
  messages: "Messages",
  messageSettings: "Messages",
  messageDeliveries: "Messages",
  automations: "Automations",
  settings: "Settings",
  exports: "Export",
  audit: "Audit",
};

const groups = Object.keys(operations) as (keyof Groups)[];

/** All of the API's routes. Routing and the OpenAPI document are both based on this list. */
export const routes: readonly Route[] = [
  ...groups.flatMap((group) => {
    const groupOperations = new Map(Object.entries<AnyOperation>(operations[group]));
    return Object.entries(routeTable[group]).flatMap(([name, route]) => {
      const operation = groupOperations.get(name);
      if (operation === undefined || !("result" in operation)) return [];
      return [buildRoute(route, operation, { group, name, calls: groupOperations })];
    });
  }),
  {
    method: "GET",
    path: "/v1/openapi.json",
    operationId: "getOpenApiDocument",
    tag: "Reference",
    summary: "Get the OpenAPI document",
    answer: "The OpenAPI 3.1 document of this API.",
    scope: null,
  },
];

interface OperationPosition {
  readonly group: keyof Groups;
  readonly name: string;
  readonly calls: ReadonlyMap<string, AnyOperation>;
}

function buildRoute(
  route: RouteText,
  operation: HttpOperation | ExtraRoute,
  position: OperationPosition,
): CallRoute {
  const { kind, path } = parseRoute(route);
  const { result, status = result === null ? 204 : 200, ...described } = operation;
  const scopes = listScopes(operation, position);
  const [scope] = scopes;
  if (scope === undefined) throw new TypeError(`${path} needs no scope`);
  const tag = operation.tag ?? tags[position.group];
  const call = { ...described, method: toHttpMethod(kind), path, tag, scope, scopes, isRead: isRead(kind) };
  if (kind === "STREAM" && result !== null) {
    const createdCall = createRouteCall(route, operation, position);
    return {
      ...call,
      streamed: true,
      output: result,
      items: (groups, input) => asAsyncIterable(createdCall(groups, input)),
    };
  }
  if ("file" in operation && operation.file !== undefined) {
    const { file } = operation;
    const createdCall = createRouteCall(route, operation, position);
    const listBytes = (groups: Groups, input: Input) => asAsyncIterable(createdCall(groups, input));
    return { ...call, streamed: true, output: null, file, bytes: listBytes };
  }
  const handle = "call" in operation ? operation.handle : createRouteCall(route, operation, position);
  const missingResource = "finds" in operation ? operation.finds : undefined;
  return {
    ...call,
    streamed: false,
    status,
    output: result,
    async handle(groups, input) {
      const value = await handle(groups, input);
      if (value === null && missingResource !== undefined) throw notFound(missingResource);
      return value;
    },
  };
}

function isRead(kind: string): boolean {
  return kind === "GET" || kind === "STREAM" || kind === "FILE" || kind === "QUERY";
}

function toHttpMethod(kind: string): Method {
  switch (kind) {
    case "PUT":
    case "PATCH":
    case "DELETE":
      return kind;
    case "GET":
    case "STREAM":
    case "FILE":
      return "GET";
    default:
      return "POST";
  }
}

function listScopes(operation: HttpOperation | ExtraRoute, { calls }: OperationPosition): readonly Scope[] {
  if (!("call" in operation)) return toScopeList(operation);
  const call = calls.get(operation.call);
  return call === undefined || "call" in call ? [] : toScopeList(call);
}

/** Builds a function that calls an operation with the route's parameters, in order, and the body or the query. */
function createRouteCall(
  route: RouteText,
  { query, body }: HttpOperation | ExtraRoute,
  { group, name }: OperationPosition,
) {
  const { path, field } = parseRoute(route);
  const params = listRouteParams(path);
  const last = query !== undefined ? "query" : body !== undefined ? "body" : null;
  return (organization: Groups, input: Input): unknown => {
    const args: unknown[] = [];
    for (const param of params) args.push(input.params[param]);
    if (field !== null) args.push(readField(input.body, field));
    if (last !== null) args.push(input[last]);
    const calls = organization[group];
    const call: unknown = Reflect.get(calls, name);
    if (typeof call !== "function") throw new TypeError(`there is no call ${group}.${name}`);
    return Reflect.apply(call, calls, args);
  };
}

function readField(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name)
    ? Reflect.get(body, name)
    : undefined;
}

function asAsyncIterable(result: unknown): AsyncIterable<unknown> {
  if (!isAsyncIterable(result)) throw new TypeError("a streamed list isn't iterable");
  return result;
}

function isAsyncIterable(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

interface Destination {
  readonly route: Route;
  readonly query: QueryReader;
}

/** The route that matches a method and path, along with the path's segments. */
export type RouteMatch = RouterMatch<Destination>;

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

// Each method has its own routes, so a fixed path leaves the methods that it lacks to a path with a parameter.
const router = new Router<Destination>();
for (const route of routes) {
  const query = new QueryReader(route.scope === null ? undefined : route.query);
  router.add(route.method, route.path, { route, query });
}

/**
 * Finds the route for a path. Returns `null` if there is none. A path with a trailing slash never matches. Such a path usually
 * results from an empty parameter, and a caller who asks for one user shouldn't receive the list of all users.
 * @param path the path, still percent-encoded, so that an encoded slash is part of its segment.
 */
export function findRoute(method: string, path: string): RouteMatch | null {
  return router.find(method === "HEAD" ? "GET" : method, path);
}

/** Returns the methods that a path supports, excluding HEAD, or an empty array if no route matches the path. */
export function listMethods(path: string): string[] {
  return methods.filter((method) => findRoute(method, path) !== null);
}

/**
 * Returns a path's decoded parameters, keyed by name.
 * @throws {LoyaltyError} `malformed_request` if any percent-encoding is malformed.
 */
export function readParams({ parameters, segments }: RouteMatch): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, index] of parameters) values[name] = decodeUrlPart(segments[index] ?? "");
  return values;
}
