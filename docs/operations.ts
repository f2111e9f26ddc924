import { routes } from "../adapters/http/routes.js";
import { events } from "../src/base/event-types.js";
import { type Scope, scopes, scopeWords } from "../src/base/scopes.js";
import { buildCallRules, operations } from "../src/operation-table.js";

const beginning = `# Operations, scopes and events

<!-- made from the table of operations by npm run docs:pages -->

\`GET /v1/openapi.json\` describes each operation with its parameters, bodies and errors, and \`/reference\` of a running server shows the
same as a page. [The HTTP interface](http.md) and [the library](library.md) say how to call them.

## Calls of the library

| Group | Calls |
| --- | --- |`;

const ofOperations = `## Operations

| Operation | Scopes, all needed | What it does |
| --- | --- | --- |`;

const ofScopes = `## Scopes

A token may do what its scopes allow. Consent pages of [apps](oauth.md) show the words in the second column.

| Scope | What it allows, and shows | Operations |
| --- | --- | --- |`;

const ofEvents = `## Events

The data of each kind of event, by the name of its schema in the OpenAPI document.

| Event | Data |
| --- | --- |`;

/** Makes docs/operations.md: the calls by their groups, each operation with its scope, and the reverse, and the kinds of events. */
export function renderOperationsPage(): string {
  const groups = Object.keys(operations) as (keyof typeof operations)[];
  const calls = groups.map((group) => {
    const names = [...buildCallRules(group).keys()].map((name) => `\`${name}\``);
    return `| \`${group}\` | ${names.join(", ")} |`;
  });
  const overHttp = routes.map(
    (route) =>
      `| \`${route.method} ${route.path}\` | ${formatScopes(listScopes(route))} | ${route.summary} |`,
  );
  const allowed = scopes.map((scope) => {
    const names = routes.flatMap((route) =>
      listScopes(route).includes(scope) ? [`\`${route.operationId}\``] : [],
    );
    return `| \`${scope}\` | ${scopeWords[scope]} | ${names.join(", ")} |`;
  });
  const kinds = Object.entries(events).map(([kind, { data }]) => `| \`${kind}\` | \`${data}\` |`);
  const sections = [
    [beginning, ...calls],
    [ofOperations, ...overHttp],
    [ofScopes, ...allowed],
    [ofEvents, ...kinds],
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** All scopes that a route needs, whatever its body. */
function listScopes(route: (typeof routes)[number]): readonly Scope[] {
  return route.scope === null ? [] : route.scopes;
}

function formatScopes(scopes: readonly Scope[]): string {
  return scopes.length === 0 ? "none" : scopes.map((scope) => `\`${scope}\``).join(", ");
}
