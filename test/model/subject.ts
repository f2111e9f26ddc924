import type { Organization } from "loyalty-kit";

/** What the model has of an organization's interface. */
export interface Subject {
  readonly users: Pick<Organization["users"], "create" | "get" | "list" | "update" | "delete">;
  readonly contacts: Pick<Organization["contacts"], "list">;
  readonly tags: Pick<
    Organization["tags"],
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
  readonly templates: Pick<Organization["templates"], "create" | "list" | "get" | "update" | "delete">;
  readonly passes: Pick<
    Organization["passes"],
    "create" | "get" | "ofUser" | "lookup" | "markInstalled" | "markUninstalled" | "delete"
  >;
  readonly stamps: Pick<
    Organization["stamps"],
    "state" | "add" | "remove" | "set" | "reset" | "redeem" | "reverse" | "history"
  >;
  readonly statistics: Pick<Organization["statistics"], "get">;
  readonly apiTokens: Pick<Organization["apiTokens"], "list">;
}
