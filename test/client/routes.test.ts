import { createClient } from "loyalty-kit/client";
import { type Route, routes } from "loyalty-kit/http";
import { describe, expect, it } from "vitest";
import { findRoute, readParams } from "../../adapters/http/routes.js";
import { untyped } from "../kit/refusal.js";
import { recordCall } from "./recorded-call.js";

/** The calls for operations whose method or arguments don't follow from their route. */
const irregular: Readonly<Record<string, [name: string, ...args: unknown[]]>> = {
  getWalletPassOfTemplate: ["get", "{walletPassId}", { templateId: "{templateId}" }],
  deleteWalletPassOfTemplate: ["delete", "{walletPassId}", { templateId: "{templateId}" }],
  lookUpWalletPass: ["lookup", "a code/with?everything"],
  setWalletPassInstallation: ["markInstalled", "{walletPassId}"],
};

/** Returns the call for a route, as a developer would write it. */
async function findCall(
  route: Route,
): Promise<{ resource: string; method: string; args: readonly unknown[] }> {
  const [method, ...args] = irregular[route.operationId] ?? [];
  const call = method === undefined ? await recordCall(route) : { resource: "passes", method, args };
  if (call === null) throw new Error(`the client has no call for ${route.operationId}`);
  return call;
}

describe("every route", () => {
  const documentedRoutes = routes.filter(({ scope }) => scope !== null);

  it.each(documentedRoutes.map((route) => [route.operationId, route] as const))(
    "%s gets its client call with the same arguments",
    async (_, route) => {
      const { resource, method, args } = await findCall(route);
      const calledRoutes: Route[] = [];
      const recordedCalls: unknown[] = [];
      const client = createClient({
        url: "http://api",
        token: null,
        fetch: async (url, { method = "GET", body }) => {
          const { pathname, searchParams } = new URL(url);
          const found = findRoute(method, pathname);
          if (found === null) throw new Error(`no route for ${method} ${pathname}`);
          calledRoutes.push(found.target.route);
          const input = {
            params: readParams(found),
            query: Object.fromEntries(searchParams),
            body: body === null ? {} : JSON.parse(String(body)),
          };
          recordedCalls.push(await recordCall(found.target.route, input));
          return new Response("[]");
        },
      });
      const result: unknown = untyped(client)[resource][method](...args);
      if ("file" in route) await untyped(result).next();
      else await result;
      expect(calledRoutes).toEqual([route]);
      expect(recordedCalls).toEqual([expect.objectContaining({ resource, method })]);
      const [{ args: recordedArgs }] = untyped(recordedCalls);
      for (const [at, arg] of args.entries()) expect(recordedArgs[at]).toMatchObject(untyped(arg));
    },
  );
});
