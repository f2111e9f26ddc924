import { type Routes, type RouteText, routes } from "../../../../../src/kernel/routes.js";
import { buildRequest } from "../../../../http/client/call-request.js";

/** Example code for an API call. The code reads the API token from an environment variable. */
export interface CallSnippet {
  /** A `curl` command for a POSIX shell. */
  readonly curl: string;
  /** A JavaScript module that makes the call and prints the result. */
  readonly client: string;
}

/** An API call, identified by its group and name. `args` contains the path parameters followed by the query or body. */
export type CallReference = {
  [Group in keyof Routes]: {
    readonly group: Group;
    readonly name: keyof Routes[Group] & string;
    readonly args: readonly unknown[];
  };
}[keyof Routes];

/**
 * Generates example code for an API call.
 * @param url the API's base URL, without `/v1`.
 */
export function createSnippet(url: string, { group, name, args }: CallReference): CallSnippet {
  const calls: Readonly<Record<string, RouteText>> = routes[group];
  const route = calls[name];
  if (route === undefined) throw new Error(`there is no call ${group}.${name}`);
  const { method, target, body } = buildRequest(route, args, ({ code }) => new Error(code));
  const curl = [
    `curl -X ${method} ${quoted(url + target)}`,
    `-H "Authorization: Bearer $LOYALTY_TOKEN"`,
    ...(body === null ? [] : [`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(body)}`]),
  ];
  const given = args.filter((each) => each !== undefined).map((each) => JSON.stringify(each, null, 2));
  const client = [
    `import { createClient } from "loyalty-kit/client";`,
    "",
    `const shop = createClient({ url: ${JSON.stringify(url)}, token: process.env.LOYALTY_TOKEN ?? "" });`,
    `const result = await shop.${group}.${name}(${given.join(", ")});`,
    "console.log(JSON.stringify(result, null, 2));",
  ];
  return { curl: curl.join(" \\\n  "), client: client.join("\n") };
}

/** Quotes text as a single word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
