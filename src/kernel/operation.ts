import type * as z from "zod";
import type { MissingResource } from "../base/error-messages.js";
import type { ErrorCode } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import { createKeyChecker, unknownKeys } from "../base/unknown-keys.js";
import type { Groups } from "../operation-groups.js";
import { type Argument, optionsArgument } from "./operation-arguments.js";
import type { Routes } from "./routes.js";

/** Parameters named in a path: `/v1/users/{userId}` has `userId`. */
type PathParams<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;

/** The parts of a request, which an extra route's handler converts to the arguments of the library call. */
export interface RouteInput<Path = string> {
  readonly params: PathParams<Path>;
  readonly query: unknown;
  readonly body: unknown;
}

interface GuardedOperation {
  /** Scopes that the caller needs, in the order in which they are checked. The first is the route's own scope. */
  readonly scope: Scope | readonly Scope[];
  /**
   * Scope that allows the call without the scopes in `scope`. The use case then rejects anything that does require the scopes in
   * `scope`.
   */
  readonly orScope?: Scope;
  /** Whether callers who are users can make this call. The use case rejects a user's access to other users' data. */
  readonly isForUsers?: true;
}

/** An operation that is available in the library but not over HTTP. */
export interface LibraryOperation extends GuardedOperation {
  /** The call's arguments, which are checked before the call runs. Default: none. */
  readonly arguments?: readonly Argument[];
}

/** An operation's description in the API reference. */
interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  /** Details that the summary leaves out. */
  readonly description?: string;
  /** Description of a successful response. */
  readonly answer: string;
  /** Error codes that the use case itself can return. Errors caused by the token, query or body are added automatically. */
  readonly errors: readonly ErrorCode[];
  /** Status code on success. Default: 200, or 204 if `result` is `null`. */
  readonly status?: 201 | 202;
  /** Status code when the call creates a resource instead of finding an existing one. */
  readonly statusOfNew?: 201;
}

/** File name and media type for a file download. */
export interface FileForm {
  /** Suggested name for the downloaded file, such as `export.zip`. */
  readonly name: string;
  /** The file's media type, such as `application/zip`. */
  readonly type: string;
}

/** The fields of an input type, which may be a union. Refinements in its schema check which fields can be combined. */
type FieldsOf<Input> = {
  readonly [Key in Input extends unknown ? keyof Input : never]?: Input extends {
    readonly [Own in Key]?: infer Value;
  }
    ? Value
    : never;
};

/** An operation that is also available over HTTP. */
export interface HttpOperation<Input = unknown> extends GuardedOperation, DescribedOperation {
  /** Section of the API reference that lists the operation. Default: the group's section. */
  readonly tag?: Tag;
  readonly query?: z.ZodObject & z.ZodType<unknown, Input>;
  readonly body?: z.ZodType<unknown, FieldsOf<Input>>;
  /** Whether a missing body is treated as an empty object. */
  readonly needsNoBody?: true;
  /** Schema for the result, or for each item in a streamed list. `null` if the response has no body or is a file. */
  readonly result: z.ZodType | null;
  /** Kind of resource that the call looks up. If there is no match, the call returns `null` and the HTTP API responds with 404. */
  readonly finds?: MissingResource;
  /** The name and media type of the file that a `FILE` route returns. */
  readonly file?: FileForm;
  /**
   * Path of the collection that contains the result, used to build the response's `Location` header. The result's `id` completes
   * the path.
   */
  readonly location?: `/v1/${string}`;
  /**
   * Returns the additional scopes that a body requires. These scopes are checked even when an idempotency key repeats an earlier
   * request.
   */
  readonly scopesFor?: (body: unknown) => readonly Scope[];
  /**
   * Whether a page of results can contain megabytes of data, in which case the server yields to other requests while it writes
   * the page.
   */
  readonly isWide?: true;
  /** When the route was deprecated, in seconds since the Unix epoch, and the path that replaces it. */
  readonly deprecated?: { readonly since: number; readonly successor: string };
  /** Arguments that follow the path parameters, if they can't be derived from the body or query. */
  readonly arguments?: readonly Argument[];
}

/** An additional route for an existing call. Its handler maps the request to the call's arguments. */
export interface ExtraRoute<Call = string, Path = string> extends DescribedOperation {
  /** Name of the call that the handler makes. The route requires the same scopes as this call. */
  readonly call: Call;
  readonly tag?: Tag;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly result: z.ZodType | null;
  // This is a method rather than a property so that routes with different paths can share one table.
  handle(groups: Groups, input: RouteInput<Path>): Promise<unknown>;
}

/** The section of the API reference that lists an operation. */
export type Tag =
  | "User tags"
  | "Users"
  | "Contacts"
  | "Templates"
  | "Wallet passes"
  | "Stamps"
  | "Points"
  | "Purchases"
  | "Events"
  | "Webhooks"
  | "Messages"
  | "Automations"
  | "Segments"
  | "Statistics"
  | "Settings"
  | "API tokens"
  | "People"
  | "Apps"
  | "Export"
  | "Audit"
  | "Reference";

/** A group's operations: its calls, plus any extra routes that map to those calls. */
export type Operations<Group extends keyof Groups> = {
  readonly [Name in keyof Groups[Group]]: Name extends keyof Routes[Group]
    ? OperationOf<Groups[Group][Name], Routes[Group][Name]>
    : LibraryOperation;
} & {
  readonly [Name in Exclude<keyof Routes[Group], keyof Groups[Group]>]: ExtraRoute<
    keyof Groups[Group],
    Routes[Group][Name]
  >;
};

type OperationOf<Call, Route> = Call extends (...args: infer Args) => unknown
  ? HttpOperation<InputOf<Route, Required<Args>>>
  : never;

/** Type of the argument that follows a call's path parameters, such as the body. */
export type InputOf<
  Route,
  Args extends readonly unknown[],
> = Route extends `${string}{${string}}${infer Rest}`
  ? Args extends readonly [unknown, ...infer Others]
    ? InputOf<Rest, Others>
    : never
  : Args[0];

/** The last argument for calls that make a change and accept only an idempotency key. */
export const idempotencyOptions = optionsArgument(createKeyChecker({ idempotencyKey: true }));

/** The option keys that every import accepts in its last argument. */
export const importOptions = {
  createTags: true,
  mergeMetadata: true,
  dryRun: true,
  startsAutomations: true,
  onProgress: true,
};

/** Defines an input argument whose known keys are the schema's keys. */
export function defineQuery(schema: z.ZodType): Argument {
  return { name: "input", kind: "input", unknownKeys: (value) => unknownKeys(schema, value) };
}

/** Defines an input argument whose known keys are the schema's keys, the resource's fields, and `idempotencyKey`. */
export function defineChange(schema: z.ZodType, resource: z.ZodType | null): Argument {
  const findUnknown = (value: unknown) =>
    unknownKeys(schema, value, resource).filter(({ path }) => path !== "idempotencyKey");
  return { name: "input", kind: "input", unknownKeys: findUnknown };
}
