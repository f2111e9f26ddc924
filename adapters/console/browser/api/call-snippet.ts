import { type Routes, type RouteText, routes } from "../../../../src/operations/routes.js";
import { buildRequest } from "../../../client/call-request.js";

/** A call as a developer makes it, with a variable of the environment in place of a token. */
export interface CallSnippet {
  /** A command for a POSIX shell. */
  readonly curl: string;
  /** A JavaScript module that prints the result. */
  readonly client: string;
}

/** A call by its group and name, with what it is made with: the parameters of the path, and then the query or the body. */
export type CallReference = {
  [Group in keyof Routes]: {
    readonly group: Group;
    readonly name: keyof Routes[Group] & string;
    readonly args: readonly unknown[];
  };
}[keyof Routes];

/** Writes a call in code. @param url what stands before `/v1`. */
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

/** Returns a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
