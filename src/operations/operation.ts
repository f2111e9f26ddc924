import type * as z from "zod";
import type { MissingResource } from "../error-messages.js";
import type { ErrorCode } from "../errors.js";
import { createKeyChecker, unknownKeys } from "../resources/unknown-keys.js";
import type { Scope } from "../scopes.js";
import { type Argument, optionsArgument } from "./arguments.js";
import type { Groups } from "./groups.js";
import type { Routes } from "./routes.js";

/** The parameters that a path names: `/v1/users/{userId}` has `userId`. */
type PathParams<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;

/** The values of a request that become the arguments of a call. */
export interface RouteInput<Path = string> {
  readonly params: PathParams<Path>;
  readonly query: unknown;
  readonly body: unknown;
}

interface Guarded {
  /** The scopes that the caller needs, in the order of the checks. The first one belongs to the route. */
  readonly scope: Scope | readonly Scope[];
  /** A caller with this scope alone may call it too. The use case then refuses what needs the others. */
  readonly orScope?: Scope;
  /** True if a caller that is a user may call it too. The use case then refuses other users' data. */
  readonly isForUsers?: true;
}

/** An operation that only the library has. */
export interface LibraryOperation extends Guarded {
  /** Its arguments. Default: none. */
  readonly arguments?: readonly Argument[];
}

/** An operation as the reference describes it. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  /** Says what the summary leaves open. */
  readonly description?: string;
  /** Describes a successful answer. */
  readonly answer: string;
  /** The errors of the use case itself. Those that follow from the token, the query or the body are added to them. */
  readonly errors: readonly ErrorCode[];
  /** The status of success. Default: 200, or 204 if `result` is `null`. */
  readonly status?: 201 | 202;
  /** The status where the call has created what others of it find. */
  readonly statusOfNew?: 201;
}

/** The form of an answer that is a file. */
export interface FileForm {
  readonly name: string;
  readonly type: string;
}

/** The fields of an input, which may be a union. The refinements of its schema check which fields come together. */
type FieldsOf<Input> = {
  readonly [Key in Input extends unknown ? keyof Input : never]?: Input extends {
    readonly [Own in Key]?: infer Value;
  }
    ? Value
    : never;
};

/** An operation that HTTP has too. */
export interface HttpOperation<Input = unknown> extends Guarded, Described {
  /** The section of the reference that lists it. Default: its group's. */
  readonly tag?: Tag;
  readonly query?: z.ZodObject & z.ZodType<unknown, Input>;
  readonly body?: z.ZodType<unknown, FieldsOf<Input>>;
  /** True if a missing body counts as an empty object. */
  readonly needsNoBody?: true;
  /** The result, or one item of a list that is streamed; `null` for an answer without a body, or a file. */
  readonly result: z.ZodType | null;
  /** The kind of resource that the call finds. It returns `null` if there is none, and HTTP answers with 404. */
  readonly finds?: MissingResource;
  /** The name that browsers give the file of a `FILE` route, and its media type. */
  readonly file?: FileForm;
  /** The path of the collection that the result, with its `id`, is to be found in later; answers have it as `Location`. */
  readonly location?: `/v1/${string}`;
  /** The scopes that the caller needs besides for this body, also where a repeat with an idempotency key is answered. */
  readonly scopesFor?: (body: unknown) => readonly Scope[];
  /** A page of it may hold megabytes: others have their turn while it is written. */
  readonly isWide?: true;
  /** Since when the route is deprecated, in Unix seconds, and the path that takes its place. */
  readonly deprecated?: { readonly since: number; readonly successor: string };
  /** The arguments after the parameters of the path, where they do not follow from the body or the query. */
  readonly arguments?: readonly Argument[];
}

/** A route whose values become the arguments of a call in their own way. */
export interface ExtraRoute<Call = string, Path = string> extends Described {
  /** The name of the call, whose scopes the route needs. */
  readonly call: Call;
  readonly tag?: Tag;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly result: z.ZodType | null;
  // A method, not a property: only so do routes of different paths fit into one table.
  handle(groups: Groups, input: RouteInput<Path>): Promise<unknown>;
}

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

/** The operations of a group: its calls, and the routes that make them in another way. */
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

/** The argument after the parameters of the path. */
export type InputOf<
  Route,
  Given extends readonly unknown[],
> = Route extends `${string}{${string}}${infer Rest}`
  ? Given extends readonly [unknown, ...infer Others]
    ? InputOf<Rest, Others>
    : never
  : Given[0];

/** The last argument of a change that takes nothing but an idempotency key. */
export const idempotencyOptions = optionsArgument(createKeyChecker({ idempotencyKey: true }));

/** The options of every import. */
export const importOptions = {
  createTags: true,
  mergeMetadata: true,
  dryRun: true,
  startsAutomations: true,
  onProgress: true,
};

/** An argument that a schema reads. */
export function defineQuery(schema: z.ZodType): Argument {
  return { name: "input", kind: "input", unknownKeys: (given) => unknownKeys(schema, given) };
}

/** An argument that a schema reads, and that may have the fields of its resource and an idempotency key beside. */
export function defineChange(schema: z.ZodType, resource: z.ZodType | null): Argument {
  const unknown = (given: unknown) =>
    unknownKeys(schema, given, resource).filter((path) => path !== "idempotencyKey");
  return { name: "input", kind: "input", unknownKeys: unknown };
}
