import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { base, isSignedIn, mount, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { ErrorText } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { renderCode } from "../components/with-code.js";
import { reference as words } from "../words/en/reference.js";
import { type ApiDocument, type ApiOperation, listOperations, loadDocument } from "./api-document.js";

/** The API reference: all operations from the server's OpenAPI document, with forms to try them. */
function Reference() {
  const [document, setDocument] = useState<ApiDocument | null>(null);
  const [failure, setFailure] = useState("");
  const [search, setSearch] = useState("");
  const [token, setToken] = useState("");
  useEffect(() => {
    loadDocument().then(setDocument, (error: unknown) => setFailure(String(error)));
  }, []);
  const searchText = search.trim().toLowerCase();
  const operations = document === null ? [] : listOperations(document);
  const matches = operations.filter(({ method, path, summary }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(searchText),
  );
  const tags = [...new Set(matches.map(({ tag }) => tag))];
  return (
    <main class="reference stack">
      <a class="back" href={base}>
        <Icon name="back" /> {words.back}
      </a>
      <div class="row spread">
        <h1>{words.title}</h1>
        <a class="button" href={`${mount}/v1/openapi.json`}>
          {words.document}
        </a>
      </div>
      <form class="halves" onSubmit={(event) => event.preventDefault()}>
        <TextField label={words.search} type="search" value={search} onText={setSearch} />
        {isSignedIn ? (
          <p class="quiet">
            {words.calledFor} <bdi>{session.organizationId}</bdi>
            {words.withOwnRights}
          </p>
        ) : (
          <TextField
            label={words.token}
            hint={words.tokenHint}
            type="password"
            autocomplete="off"
            value={token}
            onText={(text) => setToken(text.trim())}
          />
        )}
      </form>
      {failure !== "" && <ErrorText>{failure}</ErrorText>}
      {document !== null && matches.length === 0 && <p class="quiet">{words.noneFound}</p>}
      {tags.map((tag) => (
        <section key={tag} class="stack tight" aria-label={tag}>
          <h2>{tag}</h2>
          {matches
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <Operation key={operation.operationId} operation={operation} token={token} />
            ))}
        </section>
      ))}
    </main>
  );
}

const root = document.getElementById("reference");
if (root !== null) render(<Reference />, root);

interface DisplayedResponse {
  readonly status: number;
  readonly text: string;
}

interface OperationProps {
  readonly operation: ApiOperation;
  readonly token: string;
}

/** Shows an API operation's description and parameters, and a form for sending a request. */
function Operation({ operation, token }: OperationProps) {
  const { method, path, summary, description, parameters, responses = {}, deprecated = false } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(operation.body ?? "");
  const [response, setResponse] = useState<DisplayedResponse | null>(null);
  const isPublic = operation.security?.length === 0;
  const isAllowed = isPublic || isSignedIn || token !== "";

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const query = new URLSearchParams();
    const headers: Record<string, string> = isSignedIn
      ? { "x-loyalty-console": "1" }
      : token === ""
        ? {}
        : { authorization: `Bearer ${token}` };
    let target = path;
    for (const { name, in: source } of parameters) {
      const value = values[name] ?? "";
      if (source === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
      else if (value !== "" && source === "query") query.set(name, value);
      else if (value !== "" && source === "header") headers[name] = value;
    }
    if (operation.body !== null) headers["content-type"] = "application/json";
    try {
      const url = `${isSignedIn ? `${base}/api` : mount}${target}${query.size === 0 ? "" : `?${query}`}`;
      const httpResponse = await fetch(url, { method, headers, ...(operation.body !== null && { body }) });
      setResponse({ status: httpResponse.status, text: formatJson(await httpResponse.text()) });
    } catch {
      setResponse({ status: 0, text: words.unreachable });
    }
  };

  return (
    <details class="panel operation" id={operation.operationId}>
      <summary class="event-line">
        <span class={`chip method ${method.toLowerCase()}`}>{method}</span>
        <code class="grow">{path}</code>
        <span class="quiet">
          {summary}
          {deprecated && ` (${words.deprecated})`}
        </span>
      </summary>
      <div class="stack">
        {description !== undefined && <p>{renderCode(description)}</p>}
        <ul class="row" aria-label={words.answers}>
          {Object.entries(responses).map(([status, { description = "" }]) => (
            <li key={status} class="chip" title={description}>
              {status}
            </li>
          ))}
        </ul>
        <form class="stack" onSubmit={send}>
          {parameters.map(({ name, in: source, required = false, description = "" }) => (
            <TextField
              key={name}
              label={`${name} (${source}${required ? `, ${words.required}` : ""})`}
              hint={description.replaceAll("`", "")}
              spellcheck={false}
              autocomplete="off"
              value={values[name] ?? ""}
              onText={(text) => setValues((previous) => ({ ...previous, [name]: text }))}
            />
          ))}
          {operation.body !== null && (
            <TextField
              label={words.body}
              class="code"
              rows={Math.min(body.split("\n").length + 1, 16)}
              spellcheck={false}
              value={body}
              onText={setBody}
            />
          )}
          <div class="row">
            <Button text={words.send} kind="primary" type="submit" disabled={!isAllowed} />
            {!isAllowed && <span class="quiet">{words.needsToken}</span>}
          </div>
        </form>
        {response !== null && (
          <div role="status">
            <p>
              <span class={`chip ${response.status >= 200 && response.status < 300 ? "good" : "bad"}`}>
                {response.status === 0 ? words.noAnswer : response.status}
              </span>
            </p>
            {response.text !== "" && <pre class="answer">{response.text}</pre>}
          </div>
        )}
      </div>
    </details>
  );
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
