import { routes } from "../adapters/http/routes.js";
import { scopes, scopeWords } from "../src/scopes.js";

const beginning = `# Operations and scopes

<!-- made from the table of operations by npm run docs:pages -->

Every operation of [the HTTP interface](http.md). \`GET /v1/openapi.json\` describes each with its parameters, bodies and errors, and
\`/reference\` of a running server shows the same as a page. [The library](library.md) has the same calls under shorter names.

## Operations

| Operation | Scope | What it does |
| --- | --- | --- |`;

const ofScopes = `## Scopes

A token may do what its scopes allow. Consent pages of [apps](oauth.md) show the words in the second column.

| Scope | What it allows, and shows | Operations |
| --- | --- | --- |`;

/** Makes docs/operations.md: each operation with its scope, and each scope with its operations. */
export function operationsPage(): string {
  const operations = routes.map(
    ({ method, path, scope, summary }) =>
      `| \`${method} ${path}\` | ${scope === null ? "none" : `\`${scope}\``} | ${summary} |`,
  );
  const allowed = scopes.map((scope) => {
    const names = routes.flatMap((route) => (route.scope === scope ? [`\`${route.operationId}\``] : []));
    return `| \`${scope}\` | ${scopeWords[scope]} | ${names.join(", ")} |`;
  });
  return `${[[beginning, ...operations].join("\n"), [ofScopes, ...allowed].join("\n")].join("\n\n")}\n`;
}
