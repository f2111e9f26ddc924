import type { ApiTokens } from "./access/api-tokens.js";
import type { Apps } from "./access/apps.js";
import type { AuditTrail } from "./access/audit-trail.js";
import type { Grants } from "./access/grants.js";
import type { Passes } from "./cards/passes.js";
import type { Stamps } from "./cards/stamps.js";
import type { Templates } from "./cards/templates.js";
import type { Contacts } from "./customers/contacts.js";
import type { Users } from "./customers/users.js";
import { invalid, type LoyaltyError } from "./errors.js";
import type { Statistics } from "./statistics/statistics.js";
import type { Tags } from "./tags/tags.js";
import type { Events } from "./webhooks/events.js";
import type { Webhooks } from "./webhooks/webhooks.js";

/** The groups of calls of an organization. */
export interface Groups {
  readonly users: Users;
  readonly contacts: Contacts;
  readonly tags: Tags;
  readonly templates: Templates;
  readonly passes: Passes;
  readonly stamps: Stamps;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly apiTokens: ApiTokens;
  readonly audit: AuditTrail;
  readonly statistics: Statistics;
  readonly apps: Apps;
  readonly grants: Grants;
}

/** An argument as its doc comment calls it, and what it has to be. */
interface Named<Kind extends "text" | "options" | "rows"> {
  readonly name: string;
  readonly kind: Kind;
}

/** `null` is an argument that a schema reads, which tells what is wrong with it. */
export type Argument = Named<"text" | "options" | "rows"> | null;

type ArgumentOf<Given> = Given extends string ? Named<"text"> : Named<"options" | "rows"> | null;

type ArgumentsOf<Given extends readonly unknown[]> = {
  readonly [At in keyof Given]: ArgumentOf<Given[At]>;
};

/** Every call of a group that takes arguments. */
type CallsWithArguments<Group> = {
  readonly [Name in keyof Group as Group[Name] extends (...args: infer Given) => unknown
    ? Required<Given> extends readonly []
      ? never
      : Name
    : never]: Group[Name] extends (...args: infer Given) => unknown ? ArgumentsOf<Required<Given>> : never;
};

const userId = text("userId");
const slug = text("slug");
const templateId = text("templateId");
const passId = text("passId");
const webhookEndpointId = text("webhookEndpointId");
const tokenId = text("tokenId");
const appId = text("appId");
const grantId = text("grantId");
const rows: Named<"rows"> = { name: "rows", kind: "rows" };
export const options: Named<"options"> = { name: "options", kind: "options" };
const place: Named<"options"> = { name: "place", kind: "options" };
const read = null;

/** What each call of an organization is given, whether it is made in this process or over HTTP. */
export const callArguments: { readonly [Name in keyof Groups]: CallsWithArguments<Groups[Name]> } = {
  users: {
    create: [read],
    upsert: [read],
    find: [read],
    get: [userId],
    update: [userId, read],
    import: [rows, options],
    delete: [userId, options],
    erase: [userId, options],
    dossier: [userId],
  },
  contacts: { list: [read] },
  tags: {
    create: [read],
    get: [slug],
    update: [slug, read],
    delete: [slug, options],
    assign: [userId, slug, options],
    unassign: [userId, slug, options],
    assignUsers: [slug, read],
    unassignUsers: [slug, read],
    ofUser: [userId],
    users: [slug],
    query: [read],
  },
  templates: {
    create: [read],
    get: [templateId],
    update: [templateId, read],
    delete: [templateId, options],
  },
  passes: {
    create: [templateId, read, options],
    ensure: [templateId, read],
    import: [rows, options],
    get: [passId, place],
    ofUser: [userId],
    lookup: [text("qrCodeValue")],
    markInstalled: [passId, options],
    markUninstalled: [passId, options],
    delete: [passId, place],
    walletLinks: [passId],
    revokeWalletLinks: [passId, options],
  },
  stamps: {
    state: [passId],
    add: [passId, read],
    remove: [passId, read],
    set: [passId, read],
    reset: [passId, options],
    redeem: [passId, read],
    reverse: [passId, read],
    history: [passId, read],
  },
  events: { list: [read] },
  webhooks: {
    create: [read],
    get: [webhookEndpointId],
    update: [webhookEndpointId, read],
    delete: [webhookEndpointId, options],
    rotateSecret: [webhookEndpointId, options],
    deliveries: [webhookEndpointId, read],
    replay: [webhookEndpointId, read],
    test: [webhookEndpointId, options],
  },
  apiTokens: {
    create: [read],
    made: [tokenId],
    rotate: [tokenId, read],
    delete: [tokenId, options],
  },
  audit: { list: [read], verify: [read] },
  statistics: { get: [read] },
  apps: {
    create: [read],
    get: [appId],
    rotateSecret: [appId, read],
    delete: [appId, options],
  },
  grants: { allow: [read], delete: [grantId, options] },
};

/** What a call is refused with for arguments of a wrong kind: `validation_failed`, naming each. `null` when all are right. */
export function refusalOf(known: readonly Argument[], given: readonly unknown[]): LoyaltyError | null {
  let fields: Record<string, string> | null = null;
  for (let at = 0; at < known.length; at += 1) {
    const argument = known[at];
    const value = given[at];
    if (argument === null || argument === undefined || isOfKind(argument.kind, value)) continue;
    fields ??= {};
    fields[argument.name] =
      value === undefined ? "is required" : `must be ${kinds[argument.kind]}, not ${nameOf(value)}`;
  }
  return fields === null ? null : invalid(fields);
}

const kinds = { text: "a text", options: "an object", rows: "an iterable of rows" } as const;

function isOfKind(kind: Named<keyof typeof kinds>["kind"], value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "options":
      return value === undefined || (isObject(value) && !Array.isArray(value));
    case "rows":
      return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function text(name: string): Named<"text"> {
  return { name, kind: "text" };
}
