import * as z from "zod";
import { apiTokenOperations, appOperations, auditOperations, grantOperations } from "./access/operations.js";
import { automationOperations } from "./automations/operations.js";
import type { Scope } from "./base/scopes.js";
import { templateOperations } from "./cards/operations.js";
import { passOperations } from "./cards/pass-operations.js";
import { stampOperations } from "./cards/stamp-operations.js";
import { contactOperations, userOperations } from "./customers/operations.js";
import { exportOperations } from "./exports/operations.js";
import {
  defineChange,
  defineQuery,
  type ExtraRoute,
  type HttpOperation,
  type InputOf,
  idempotencyOptions,
  type LibraryOperation,
} from "./kernel/operation.js";
import {
  type Argument,
  createGuard,
  listParamArguments,
  takesOptions,
} from "./kernel/operation-arguments.js";
import { type Routes, type RouteText, routes } from "./kernel/routes.js";
import type { CallRule, CallRules, Guard } from "./kernel/use-cases.js";
import {
  deliveryOperations,
  messageOperations,
  messageSettingsOperations,
  subscriptionOperations,
} from "./messages/operations.js";
import type { Groups } from "./operation-groups.js";
import { peopleOperations } from "./people/operations.js";
import { pointOperations } from "./points/operations.js";
import { purchaseOperations } from "./purchases/operations.js";
import { segmentOperations } from "./segments/operations.js";
import { settingsOperations } from "./settings/operations.js";
import { statisticsOperations } from "./statistics/operations.js";
import { tagOperations } from "./tags/operations.js";
import { eventOperations, webhookOperations } from "./webhooks/operations.js";

export type AnyOperation = LibraryOperation | HttpOperation | ExtraRoute;

/** All operations, keyed by group and name. */
export const operations = {
  tags: tagOperations,
  users: userOperations,
  contacts: contactOperations,
  templates: templateOperations,
  passes: passOperations,
  stamps: stampOperations,
  points: pointOperations,
  purchases: purchaseOperations,
  events: eventOperations,
  webhooks: webhookOperations,
  segments: segmentOperations,
  statistics: statisticsOperations,
  apiTokens: apiTokenOperations,
  people: peopleOperations,
  apps: appOperations,
  grants: grantOperations,
  subscriptions: subscriptionOperations,
  messages: messageOperations,
  messageSettings: messageSettingsOperations,
  messageDeliveries: deliveryOperations,
  automations: automationOperations,
  settings: settingsOperations,
  exports: exportOperations,
  audit: auditOperations,
} satisfies Readonly<Record<keyof Groups, Readonly<Record<string, AnyOperation>>>>;

/** Returns an operation's required scopes as an array, in the order in which they are checked. */
export function toScopeList({ scope }: Pick<LibraryOperation, "scope">): readonly Scope[] {
  return typeof scope === "string" ? [scope] : scope;
}

/** All routes, keyed by group and operation name. */
export const routeTable: Readonly<Record<keyof Groups, Readonly<Record<string, RouteText>>>> = routes;

export function buildCallRules(group: keyof Groups): CallRules {
  const rules = new Map<string, CallRule>();
  for (const [name, operation] of Object.entries<AnyOperation>(operations[group])) {
    if ("call" in operation) continue;
    const { isForUsers = false, orScope } = operation;
    const parameters = listArguments(operation, routeTable[group][name]);
    const call = `${group}.${name}`;
    const createScopeGuard = (scopes: readonly Scope[]) => createGuard(call, parameters, scopes, isForUsers);
    const guard = createScopeGuard(toScopeList(operation));
    const queryAt =
      "result" in operation && isList(operation.result) ? findQueryIndex(routeTable[group][name]) : null;
    rules.set(name, {
      guard: orScope === undefined ? guard : createEitherGuard(orScope, createScopeGuard([orScope]), guard),
      queryAt,
      isStreamed: routeTable[group][name]?.startsWith("STREAM ") ?? false,
    });
  }
  return rules;
}

/** Returns whether a result schema is an array or a page. */
function isList(result: z.ZodType | null): boolean {
  return result instanceof z.ZodArray || (result instanceof z.ZodObject && "content" in result.shape);
}

/** Returns the index of the query argument, which follows the path parameters. */
function findQueryIndex(route: RouteText | undefined): number | null {
  return route === undefined ? null : listParamArguments(route).length;
}

/** Creates a guard that is `guardOfScope` for callers who have `scope`, and `guardOfOthers` for all others. */
function createEitherGuard(scope: Scope, scopeGuard: Guard, defaultGuard: Guard): Guard {
  return (tenant, args) => (tenant.hasScope(scope) ? scopeGuard : defaultGuard)(tenant, args);
}

/** Returns a call's arguments: its path parameters, followed by its input or options. */
export function listArguments(
  operation: LibraryOperation | HttpOperation,
  route: RouteText | undefined,
): readonly Argument[] {
  if (route === undefined || !("result" in operation)) return operation.arguments ?? [];
  return [...listParamArguments(route), ...(operation.arguments ?? listInputArguments(operation, route))];
}

function listInputArguments({ query: schema, body, result }: HttpOperation, route: RouteText): Argument[] {
  if (takesOptions(route)) return [idempotencyOptions];
  if (schema !== undefined) return [defineQuery(schema)];
  if (body === undefined) return [];
  return [route.startsWith("QUERY ") ? defineQuery(body) : defineChange(body, result)];
}

/** Error messages for the keys that a group's calls accept but their route schemas don't read. */
type UnreadKeyErrors<Group extends keyof Groups> = {
  [Name in RoutedName<Group>]: Groups[Group][Name] extends (...args: infer Args) => unknown
    ? `the schema of ${Group}.${Name} has no ${Exclude<
        KeysOf<InputOf<Routes[Group][Name], Required<Args>>>,
        SchemaKeys<(typeof operations)[Group][Name]> | "idempotencyKey"
      >}`
    : never;
}[RoutedName<Group>];

type RoutedName<Group extends keyof Groups> = keyof (typeof operations)[Group] &
  keyof Groups[Group] &
  keyof Routes[Group] &
  string;

/**
 * Keys that an operation's schema reads. If an operation lists its own arguments, no schema reads them, so every key counts as
 * read.
 */
type SchemaKeys<Operation> = Operation extends { readonly arguments: unknown }
  ? string
  : Operation extends { readonly query: infer Schema } | { readonly body: infer Schema }
    ? KeysOf<z.input<Schema>>
    : never;

type KeysOf<Input> = Input extends object ? keyof Input & string : never;

type TrueIfNever<Missing> = [Missing] extends [never] ? true : Missing;

/**
 * Checks at compile time that each route's schema includes every key that its call accepts. If a key is missing, the compiler error
 * names it.
 */
export const isComplete: TrueIfNever<{ [Group in keyof Groups]: UnreadKeyErrors<Group> }[keyof Groups]> =
  true;
