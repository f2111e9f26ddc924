import type { OrganizationCalls } from "../../src/organization-calls.js";

/**
 * How a call goes over HTTP: `QUERY` is a POST that changes nothing, and `STREAM` a GET of a list that is read as it
 * arrives. The path is that of the route.
 */
export type Call = `${"GET" | "QUERY" | "STREAM" | "POST" | "PUT" | "PATCH" | "DELETE"} /v1/${string}`;

/** The calls of one resource. */
export type Calls = Readonly<Record<string, Call>>;

/** Those of the passes whose arguments are not simply those of a route. */
export type IrregularPassCall = "lookup" | "markInstalled" | "markUninstalled";

/**
 * Every call whose arguments are the parameters of its path, in their order, and then its input: the body, or for a GET
 * the query.
 */
export type CallTable = {
  readonly [Resource in Exclude<keyof OrganizationCalls, "passes">]: {
    readonly [Name in keyof OrganizationCalls[Resource]]: Call;
  };
} & {
  readonly passes: { readonly [Name in Exclude<keyof OrganizationCalls["passes"], IrregularPassCall>]: Call };
};
