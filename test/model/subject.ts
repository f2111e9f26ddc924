import type { FirstPage, ListPromise, Organization } from "loyalty-kit";

/** Calls whose streamed lists are only iterated, and whose other lists are only awaited. */
type Awaited<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (
    ...given: infer Given
  ) => ListPromise<infer Result, infer Item>
    ? (...given: Given) => Result extends FirstPage<unknown> ? AsyncIterable<Item> : Promise<Result>
    : Calls[Name];
};

/** The part of an organization's API that the model has. */
export interface Subject {
  readonly users: Pick<Awaited<Organization["users"]>, "create" | "get" | "list" | "update" | "delete">;
  readonly contacts: Pick<Awaited<Organization["contacts"]>, "list">;
  readonly tags: Pick<
    Awaited<Organization["tags"]>,
    | "create"
    | "list"
    | "get"
    | "update"
    | "delete"
    | "assign"
    | "unassign"
    | "ofUser"
    | "users"
    | "query"
    | "verifyIndex"
  >;
  readonly templates: Pick<
    Awaited<Organization["templates"]>,
    "create" | "list" | "get" | "update" | "delete"
  >;
  readonly passes: Pick<
    Awaited<Organization["passes"]>,
    "create" | "get" | "ofUser" | "lookup" | "markInstalled" | "markUninstalled" | "delete"
  >;
  readonly stamps: Pick<
    Awaited<Organization["stamps"]>,
    "state" | "add" | "remove" | "set" | "reset" | "redeem" | "reverse" | "history"
  >;
  readonly statistics: Pick<Awaited<Organization["statistics"]>, "get">;
  readonly apiTokens: Pick<Awaited<Organization["apiTokens"]>, "list">;
}
