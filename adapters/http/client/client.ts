import { isLoyaltyError } from "../../../src/base/errors.js";
import { StreamedList, withItems } from "../../../src/base/list-promise.js";
import {
  type Argument,
  findArgumentError,
  findInputError,
  listParamArguments,
  optionsArgument,
  takesOptions,
  textArgument,
} from "../../../src/kernel/operation-arguments.js";
import type { RouteText } from "../../../src/kernel/routes.js";
import type { OrganizationCalls } from "../../../src/operation-groups.js";
import { buildCalls, type CallHooks, type PassCall } from "./build-calls.js";
import { type ClientOptions, Connection } from "./connection.js";

/**
 * Creates an HTTP client for a token's organization. Its methods take the same arguments, return the same results, and throw the
 * same `LoyaltyError`s as the methods of `loyalty.organization(id)`. A request is retried if it receives no response or if the
 * server asks the client to retry later. Each POST has an idempotency key, so retrying it doesn't repeat its effect. Other requests
 * are retried only if repeating them is harmless. Calls also reject with a `ConnectionError` if the service doesn't respond, with
 * any error from fetching a token, or with the signal's abort reason.
 * @example
 * import { createClient } from "loyalty-kit/client";
 *
 * const cafe = createClient({ url: "http://localhost:3000", token: process.env.LOYALTY_TOKEN ?? "" });
 * const anna = await cafe.users.create({ email: "anna@example.com" });
 * await cafe.tags.assign(anna.id, "vip");
 */
export function createClient(clientOptions: ClientOptions): OrganizationCalls {
  const calls = buildCalls(new Connection(clientOptions), hooks);
  const { users } = calls;
  return { ...calls, users: { ...users, find: (...args) => users.find(...args).catch(nullIfNotFound) } };
}

const passId = textArgument("passId");
const passLookupArgument = optionsArgument(undefined, "place");
const input: Argument = { name: "input", kind: "input" };
const installationArguments = [passId, optionsArgument()];

const passArguments: Readonly<Record<PassCall, readonly Argument[]>> = {
  create: [textArgument("templateId"), input, optionsArgument()],
  get: [passId, passLookupArgument],
  delete: [passId, passLookupArgument],
  lookup: [textArgument("qrCodeValue")],
  markInstalled: installationArguments,
  markUninstalled: installationArguments,
};

const hooks: CallHooks = {
  findError(name, call, args) {
    const argumentNames = isRoute(call) ? listArguments(call) : passArguments[call];
    return findArgumentError(argumentNames, args, name) ?? findInputError(argumentNames, args, name);
  },
  withItems(route, call) {
    if (!/^(GET|QUERY) /.test(route)) return call;
    const queryIndex = listParamArguments(route).length;
    return (...args) =>
      withItems(call(...args), (pageParams) =>
        call(...args.slice(0, queryIndex), Object.assign({}, args[queryIndex], pageParams)),
      );
  },
  wrapStream: (read) => new StreamedList(read),
};

function isRoute(call: RouteText | PassCall): call is RouteText {
  return call.includes(" ");
}

function listArguments(route: RouteText): readonly Argument[] {
  return [...listParamArguments(route), takesOptions(route) ? optionsArgument() : input];
}

/**
 * Returns `null` for a `resource_not_found` error, as the result of a lookup without a match.
 * @throws any other error.
 */
function nullIfNotFound(error: unknown): null {
  if (isLoyaltyError(error, "resource_not_found")) return null;
  throw error;
}
