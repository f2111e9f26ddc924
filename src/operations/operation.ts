import type * as z from "zod";
import type { MissingResource } from "../error-messages.js";
import type { ErrorCode } from "../errors.js";
import { createKeyChecker, unknownKeys } from "../resources/unknown-keys.js";
import type { Scope } from "../scopes.js";
import { type Argument, optionsArgument } from "./arguments.js";
import type { Groups } from "./groups.js";
import type { Routes } from "./routes.js";

/** Parameters named in a path: `/v1/users/{userId}` has `userId`. */
type PathParams<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;

/** Request values that are passed to a call as its arguments. */
export interface RouteInput<Path = string> {
  readonly params: PathParams<Path>;
  readonly query: unknown;
  readonly body: unknown;
}

interface Guarded {
  /** Scopes that the caller needs, in the order in which they are checked. The first is the route's own scope. */
  readonly scope: Scope | readonly Scope[];
  /** Scope that is enough on its own to make the call. The use case then rejects whatever needs the scopes in `scope`. */
  readonly orScope?: Scope;
  /** Whether callers who are users can make this call. The use case then rejects access to other users' data. */
  readonly isForUsers?: true;
}

/** An operation that is only available in the library, not over HTTP. */
export interface LibraryOperation extends Guarded {
  /** The call's arguments. Default: none. */
  readonly arguments?: readonly Argument[];
}

/** An operation's description in the API reference. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  /** Details that the summary leaves out. */
  readonly description?: string;
  /** Description of a successful response. */
  readonly answer: string;
  /** Errors from the use case itself. Errors that follow from the token, query or body are added automatically. */
  readonly errors: readonly ErrorCode[];
  /** Status code on success. Default: 200, or 204 if `result` is `null`. */
  readonly status?: 201 | 202;
  /** Status code if the call created the resource rather than finding an existing one. */
  readonly statusOfNew?: 201;
}

/** Name and media type of a file response. */
export interface FileForm {
  readonly name: string;
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
export interface HttpOperation<Input = unknown> extends Guarded, Described {
  /** Section of the reference that lists the operation. Default: the group's section. */
  readonly tag?: Tag;
  readonly query?: z.ZodObject & z.ZodType<unknown, Input>;
  readonly body?: z.ZodType<unknown, FieldsOf<Input>>;
  /** Whether a missing body counts as an empty object. */
  readonly needsNoBody?: true;
  /** Schema of the result, or of one item in a streamed list; `null` if the response has no body or is a file. */
  readonly result: z.ZodType | null;
  /** Kind of resource that the call looks up. The call returns `null` if there is no match, and HTTP responds with 404. */
  readonly finds?: MissingResource;
  /** File name that browsers use for a `FILE` route's download, and its media type. */
  readonly file?: FileForm;
  /** Path of the collection in which the result can later be found by `id`. Responses use it for the `Location` header. */
  readonly location?: `/v1/${string}`;
  /** Additional scopes that this body requires. They are also checked when an idempotency key repeats an earlier request. */
  readonly scopesFor?: (body: unknown) => readonly Scope[];
  /** Whether a page can contain megabytes of data. The server then yields to other requests while it writes the page. */
  readonly isWide?: true;
  /** Time of the route's deprecation, in Unix seconds, and the path that replaces it. */
  readonly deprecated?: { readonly since: number; readonly successor: string };
  /** Arguments after the path parameters, if they can't be derived from the body or query. */
  readonly arguments?: readonly Argument[];
}

/** A route with custom code that maps its values to a call's arguments. */
export interface ExtraRoute<Call = string, Path = string> extends Described {
  /** Name of the call. The route requires that call's scopes. */
  readonly call: Call;
  readonly tag?: Tag;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly result: z.ZodType | null;
  // This is a method rather than a property so that routes with different paths can share one table.
  handle(groups: Groups, input: RouteInput<Path>): Promise<unknown>;
}

/** Resource under which the reference lists a route. */
export type Tag =
  | "User tags"
  | "Users"
  | "Contacts"
  | "Templates"
  | "Wallet passes"
  | "Stamps"
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

/** A group's operations: its calls, plus extra routes that map to those calls. */
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

type OperationOf<Call, Route> = Call extends (...given: infer Given) => unknown
  ? HttpOperation<InputOf<Route, Required<Given>>>
  : never;

/** The argument that follows the path parameters. */
export type InputOf<
  Route,
  Given extends readonly unknown[],
> = Route extends `${string}{${string}}${infer Rest}`
  ? Given extends readonly [unknown, ...infer Others]
    ? InputOf<Rest, Others>
    : never
  : Given[0];

/** Last argument of a change whose only option is an idempotency key. */
export const idempotencyOptions = optionsArgument(createKeyChecker({ idempotencyKey: true }));

/** Options that every import accepts. */
export const importOptions = {
  createTags: true,
  mergeMetadata: true,
  dryRun: true,
  startsAutomations: true,
  onProgress: true,
};

/** Defines an argument that a schema reads. */
export function defineQuery(schema: z.ZodType): Argument {
  return { name: "input", kind: "input", unknownKeys: (given) => unknownKeys(schema, given) };
}

/** Defines an argument that a schema reads. It may also contain the resource's fields and an idempotency key. */
export function defineChange(schema: z.ZodType, resource: z.ZodType | null): Argument {
  const unknown = (given: unknown) =>
    unknownKeys(schema, given, resource).filter((path) => path !== "idempotencyKey");
  return { name: "input", kind: "input", unknownKeys: unknown };
}
