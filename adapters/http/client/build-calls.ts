import type { LoyaltyError } from "../../../src/base/errors.js";
import { type RouteText, routes } from "../../../src/kernel/routes.js";
import type { OrganizationCalls } from "../../../src/operation-groups.js";
import { buildRequest, type CallRequest, type CreateError } from "./call-request.js";

/** The result of a call. Its route determines the type, which the compiler can't check here. */
type CallResult = ReturnType<typeof JSON.parse>;

/** Sends the client's requests. */
export interface Transport {
  /** Sends a request. Resolves to the call's result, or to `undefined` if the response has no body. */
  requestResult(request: CallRequest): Promise<unknown>;
  /** Sends a request for a streamed list. Resolves to the list's items, which are yielded as they arrive. */
  requestItems(request: CallRequest): Promise<AsyncIterable<unknown>>;
  /** Sends a request for a file. Resolves to the file's bytes, which are yielded as they arrive. */
  requestBytes(request: CallRequest): Promise<AsyncIterable<Uint8Array<ArrayBuffer>>>;
  readonly createError: CreateError;
}

/** A pass call whose route depends on its arguments. */
export type PassCall = "create" | "get" | "delete" | "lookup" | "markInstalled" | "markUninstalled";

type Call = (...args: unknown[]) => Promise<CallResult>;

/** Hooks that run around each call. The console doesn't pass any, which keeps its bundle small. */
export interface CallHooks {
  /** Validates the arguments before the request is sent. Returns the error if they are invalid, or `null` otherwise. */
  findError(name: string, call: RouteText | PassCall, args: readonly unknown[]): LoyaltyError | null;
  /** Wraps a call so that callers can iterate over the list that it returns. */
  withItems(route: RouteText, call: Call): Call;
  /** Wraps a streamed list so that it can also be awaited. */
  wrapStream(read: () => AsyncIterable<unknown>): AsyncIterable<unknown>;
}

const noHooks: CallHooks = {
  findError: () => null,
  withItems: (_route, call) => call,
  wrapStream: (read) => read(),
};

/** Builds the client's methods for an organization. Each method sends a request to its route. */
export function buildCalls(transport: Transport, hooks: CallHooks = noHooks): OrganizationCalls {
  const prepareRequest = (name: string, route: RouteText, args: readonly unknown[]) => {
    const error = hooks.findError(name, route, args);
    if (error !== null) throw error;
    return buildRequest(route, args, transport.createError);
  };
  const buildCall = (name: string, route: RouteText) => {
    if (route.startsWith("FILE ")) {
      return async function* (...args: unknown[]): AsyncGenerator<CallResult, void, undefined> {
        yield* await transport.requestBytes(prepareRequest(name, route, args));
      };
    }
    if (route.startsWith("STREAM ")) {
      const read = async function* (args: readonly unknown[]) {
        yield* await transport.requestItems(prepareRequest(name, route, args));
      };
      return (...args: unknown[]) => hooks.wrapStream(() => read(args));
    }
    const call: Call = async (...args) => transport.requestResult(prepareRequest(name, route, args));
    return hooks.withItems(route, call);
  };
  const buildGroup = (groupName: string, group: Readonly<Record<string, RouteText>>) =>
    Object.fromEntries(
      Object.entries(group).map(([name, route]) => [name, buildCall(`${groupName}.${name}`, route)]),
    );
  const organization: CallResult = Object.fromEntries(
    Object.entries(routes).map(([name, group]) => [name, buildGroup(name, group)]),
  );
  organization.passes = buildPassCalls(organization.passes, hooks);
  return organization;
}

/** Builds the calls on passes. Some choose between routes or take their arguments in a different order. */
function buildPassCalls(
  { getOfTemplate, deleteOfTemplate, getByCode, setInstallation, ...regular }: CallResult,
  { findError }: CallHooks,
): OrganizationCalls["passes"] {
  const check = (call: PassCall, ...args: readonly unknown[]) => {
    const error = findError(`passes.${call}`, call, args);
    if (error !== null) throw error;
  };
  return {
    ...regular,
    create: async (...args: unknown[]) => {
      check("create", ...args);
      return regular.create(...args);
    },
    get: async (id, options = {}) => {
      check("get", id, options);
      return options.templateId === undefined ? regular.get(id) : getOfTemplate(options.templateId, id);
    },
    delete: async (id, options = {}) => {
      check("delete", id, options);
      const { templateId, ...query } = options;
      return templateId === undefined ? regular.delete(id, query) : deleteOfTemplate(templateId, id, query);
    },
    lookup: async (qrCodeValue) => {
      check("lookup", qrCodeValue);
      return getByCode({ qrCodeValue });
    },
    markInstalled: async (id, fields = {}) => {
      check("markInstalled", id, fields);
      return setInstallation(id, { status: "INSTALLED", ...fields });
    },
    markUninstalled: async (id, fields = {}) => {
      check("markUninstalled", id, fields);
      return setInstallation(id, { status: "UNINSTALLED", ...fields });
    },
  };
}
