import type { LoyaltyError } from "../../../src/base/errors.js";
import { type RouteText, routes } from "../../../src/kernel/routes.js";
import type { OrganizationCalls } from "../../../src/operation-groups.js";
import { buildRequest, type CallRequest, type ErrorOf } from "./call-request.js";

/** The result of a call. Its route determines the type, which the compiler can't check here. */
type Promised = ReturnType<typeof JSON.parse>;

/** Sends the client's requests. */
export interface Transport {
  /** Sends a request. Resolves to the call's result, or to `undefined` if the response has no body. */
  requestResult(request: CallRequest): Promise<unknown>;
  /** Sends a request for a streamed list. Resolves to the list's items, which are yielded as they arrive. */
  requestItems(request: CallRequest): Promise<AsyncIterable<unknown>>;
  /** Sends a request for a file. Resolves to the file's bytes, which are yielded as they arrive. */
  requestBytes(request: CallRequest): Promise<AsyncIterable<Uint8Array<ArrayBuffer>>>;
  readonly errorOf: ErrorOf;
}

/** A pass call whose route depends on its arguments. */
export type PassCall = "create" | "get" | "delete" | "lookup" | "markInstalled" | "markUninstalled";

type Call = (...args: unknown[]) => Promise<Promised>;

/** Hooks that run around each call. The console doesn't pass any, which keeps its bundle small. */
export interface AroundCalls {
  /** Validates the arguments before the request is sent. Returns the error if they are invalid, or `null` otherwise. */
  refusal(name: string, call: RouteText | PassCall, args: readonly unknown[]): LoyaltyError | null;
  /** Wraps a call so that callers can iterate over the list that it returns. */
  withItems(route: RouteText, call: Call): Call;
  /** Wraps a streamed list so that it can also be awaited. */
  streamed(read: () => AsyncIterable<unknown>): AsyncIterable<unknown>;
}

const nothingAround: AroundCalls = {
  refusal: () => null,
  withItems: (_route, call) => call,
  streamed: (read) => read(),
};

/** Builds the client's methods for an organization. Each method sends a request to its route. */
export function buildCalls(transport: Transport, around: AroundCalls = nothingAround): OrganizationCalls {
  const request = (name: string, route: RouteText, args: readonly unknown[]) => {
    const refusal = around.refusal(name, route, args);
    if (refusal !== null) throw refusal;
    return buildRequest(route, args, transport.errorOf);
  };
  const callOf = (name: string, route: RouteText) => {
    if (route.startsWith("FILE ")) {
      return async function* (...args: unknown[]): AsyncGenerator<Promised, void, undefined> {
        yield* await transport.requestBytes(request(name, route, args));
      };
    }
    if (route.startsWith("STREAM ")) {
      const read = async function* (args: readonly unknown[]) {
        yield* await transport.requestItems(request(name, route, args));
      };
      return (...args: unknown[]) => around.streamed(() => read(args));
    }
    const call: Call = async (...args) => transport.requestResult(request(name, route, args));
    return around.withItems(route, call);
  };
  const callsOf = (groupName: string, group: Readonly<Record<string, RouteText>>) =>
    Object.fromEntries(
      Object.entries(group).map(([name, route]) => [name, callOf(`${groupName}.${name}`, route)]),
    );
  const organization: Promised = Object.fromEntries(
    Object.entries(routes).map(([name, group]) => [name, callsOf(name, group)]),
  );
  organization.passes = buildPassCalls(organization.passes, around);
  return organization;
}

/** Builds the calls on passes. Some choose between routes or take their arguments in a different order. */
function buildPassCalls(
  { getOfTemplate, deleteOfTemplate, getByCode, setInstallation, ...regular }: Promised,
  { refusal }: AroundCalls,
): OrganizationCalls["passes"] {
  const check = (call: PassCall, ...args: readonly unknown[]) => {
    const error = refusal(`passes.${call}`, call, args);
    if (error !== null) throw error;
  };
  return {
    ...regular,
    create: async (...args: unknown[]) => {
      check("create", ...args);
      return regular.create(...args);
    },
    get: async (id, place = {}) => {
      check("get", id, place);
      return place.templateId === undefined ? regular.get(id) : getOfTemplate(place.templateId, id);
    },
    delete: async (id, place = {}) => {
      check("delete", id, place);
      const { templateId, ...query } = place;
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
