import type { LoyaltyError } from "../../src/errors.js";
import type { Once } from "../../src/idempotency/idempotent-call.js";
import {
  type Argument,
  options,
  paramArguments,
  takesOptions,
  text,
} from "../../src/operations/arguments.js";
import type { OrganizationCalls } from "../../src/operations/groups.js";
import { type RouteText, routes } from "../../src/operations/routes.js";
import { type CallRequest, type ErrorOf, requestOf } from "./call-request.js";

/** The result of a call, of the type that its route promises, which no compiler sees from here. */
type Promised = ReturnType<typeof JSON.parse>;

/** Sends the requests of calls to a service. */
export interface Transport {
  /** Resolves to the result of a request; `undefined` for an answer without a body. */
  resultOf(request: CallRequest): Promise<unknown>;
  /** Resolves to the items of a list that is streamed. */
  itemsOf(request: CallRequest): Promise<AsyncIterable<unknown>>;
  /** Resolves to the bytes of a file, as they come. */
  bytesOf(request: CallRequest): Promise<AsyncIterable<Uint8Array<ArrayBuffer>>>;
  readonly errorOf: ErrorOf;
}

/** Returns why arguments are refused before anything is sent; `null` when they are not. */
type Refuse = (known: readonly Argument[], given: readonly unknown[]) => LoyaltyError | null;

/** The calls of an organization, each sent as the request that its route takes. */
export function callsOver(transport: Transport, refuse: Refuse = () => null): OrganizationCalls {
  const request = (route: RouteText, known: readonly Argument[], given: readonly unknown[]) => {
    const refusal = refuse(known, given);
    if (refusal !== null) throw refusal;
    return requestOf(route, given, transport.errorOf);
  };
  const callOf = (route: RouteText) => {
    const known = [...paramArguments(route), ...(takesOptions(route) ? [options()] : [])];
    if (route.startsWith("FILE ")) {
      return async function* (...given: unknown[]): AsyncGenerator<Promised, void, undefined> {
        yield* await transport.bytesOf(request(route, known, given));
      };
    }
    return route.startsWith("STREAM ")
      ? async function* (...given: unknown[]): AsyncGenerator<Promised, void, undefined> {
          yield* await transport.itemsOf(request(route, known, given));
        }
      : async (...given: unknown[]): Promise<Promised> => transport.resultOf(request(route, known, given));
  };
  const callsOf = (group: Readonly<Record<string, RouteText>>) =>
    Object.fromEntries(Object.entries(group).map(([name, route]) => [name, callOf(route)]));
  const organization: Promised = Object.fromEntries(
    Object.entries(routes).map(([name, group]) => [name, callsOf(group)]),
  );
  organization.passes = passCalls(organization.passes, refuse);
  return organization;
}

const passId = text("passId");

/** The calls of passes, some of which choose between routes, or put their arguments elsewhere than others do. */
function passCalls(
  { getOfTemplate, deleteOfTemplate, getByCode, setInstallation, ...regular }: Promised,
  refuse: Refuse,
): OrganizationCalls["passes"] {
  const checked = (known: readonly Argument[], given: readonly unknown[]) => {
    const refusal = refuse(known, given);
    if (refusal !== null) throw refusal;
  };
  const install = (id: string, status: string, given: Once = {}) => {
    checked([passId, options()], [id, given]);
    return setInstallation(id, { status, ...given });
  };
  return {
    ...regular,
    create: async (...given: unknown[]) => {
      checked([text("templateId"), { name: "input", kind: "input" }, options()], given);
      return regular.create(...given);
    },
    get: async (id, place = {}) => {
      checked([passId, options(undefined, "place")], [id, place]);
      return place.templateId === undefined ? regular.get(id) : getOfTemplate(place.templateId, id);
    },
    delete: async (id, place = {}) => {
      checked([passId, options(undefined, "place")], [id, place]);
      const { templateId, ...given } = place;
      return templateId === undefined ? regular.delete(id, given) : deleteOfTemplate(templateId, id, given);
    },
    lookup: async (qrCodeValue) => {
      checked([text("qrCodeValue")], [qrCodeValue]);
      return getByCode({ qrCodeValue });
    },
    markInstalled: async (id, given) => install(id, "INSTALLED", given),
    markUninstalled: async (id, given) => install(id, "UNINSTALLED", given),
  };
}
