import { type Route, routes } from "loyalty-kit/http";
import { expect, it } from "vitest";
import { type RecordedCall, recordedCall } from "./recorded-call.js";

it("the table of the client is what the route table says; after a change there, run this test with -u", async () => {
  const table = new Map<string, string[]>();
  for (const route of routes) {
    const recorded = await recordedCall(route);
    if (recorded === null || !isRegular(route, recorded)) continue;
    const { resource, method } = recorded;
    table.set(resource, [...(table.get(resource) ?? []), `    ${method}: "${kindOf(route)} ${route.path}",`]);
  }
  const resources = [...table].map(([name, calls]) => `  ${name}: {\n${calls.join("\n")}\n  },\n`);
  await expect(
    `${head}export const calls = {\n${resources.join("")}} satisfies CallTable;\n`,
  ).toMatchFileSnapshot("../../adapters/client/calls.ts");
});

const head = `import type { CallTable } from "./call-table.js";

/** Made from the route table by its test, which fails when they differ. */
`;

/** Whether the arguments are the parameters of the path, in their order, and then the body or the query. */
function isRegular({ path }: Route, { args, input }: RecordedCall): boolean {
  const params = [...path.matchAll(/\{\w+\}/g)].map(([name]) => name);
  const [given, rest] = [args.slice(0, params.length), args.slice(params.length)];
  return given.join() === params.join() && rest.length <= 1 && rest.every((last) => input.includes(last));
}

function kindOf(route: Route): string {
  if (route.scope !== null && route.streamed) return "STREAM";
  return route.method === "POST" && route.scope?.endsWith(":read") ? "QUERY" : route.method;
}
