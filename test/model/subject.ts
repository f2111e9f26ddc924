import type { FirstPage, ListPromise, Organization } from "loyalty-kit";

/** Calls whose lists are only awaited if they have pages, and otherwise only iterated. */
type Awaited<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (
    ...given: infer Given
  ) => ListPromise<infer Result, infer Item>
    ? (...given: Given) => Result extends FirstPage<unknown> ? AsyncIterable<Item> : Promise<Result>
    : Calls[Name];
};

/** What the model has of an organization's interface. */
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
