import { useState } from "preact/hooks";
import { base, isSignedIn, mount } from "../api/session.js";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { withCode } from "../components/with-code.js";
import { reference as words } from "../words/en/reference.js";
import type { ApiOperation } from "./api-document.js";

interface ShownResponse {
  readonly status: number;
  readonly text: string;
}

interface OperationProps {
  readonly operation: ApiOperation;
  readonly token: string;
}

/** Shows an API operation's description and parameters, and a form for sending a request. */
export function Operation({ operation, token }: OperationProps) {
  const { method, path, summary, description, parameters, responses = {}, deprecated = false } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(operation.body ?? "");
  const [response, setResponse] = useState<ShownResponse | null>(null);
  const isOpen = operation.security?.length === 0;
  const isAllowed = isOpen || isSignedIn || token !== "";

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const query = new URLSearchParams();
    const headers: Record<string, string> = isSignedIn
      ? { "x-loyalty-console": "1" }
      : token === ""
        ? {}
        : { authorization: `Bearer ${token}` };
    let target = path;
    for (const { name, in: place } of parameters) {
      const value = values[name] ?? "";
      if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
      else if (value !== "" && place === "query") query.set(name, value);
      else if (value !== "" && place === "header") headers[name] = value;
    }
    if (operation.body !== null) headers["content-type"] = "application/json";
    try {
      const url = `${isSignedIn ? `${base}/api` : mount}${target}${query.size === 0 ? "" : `?${query}`}`;
      const sent = await fetch(url, { method, headers, ...(operation.body !== null && { body }) });
      setResponse({ status: sent.status, text: indented(await sent.text()) });
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
        {description !== undefined && <p>{withCode(description)}</p>}
        <ul class="row" aria-label={words.answers}>
          {Object.entries(responses).map(([status, { description = "" }]) => (
            <li key={status} class="chip" title={description}>
              {status}
            </li>
          ))}
        </ul>
        <form class="stack" onSubmit={send}>
          {parameters.map(({ name, in: place, required = false, description = "" }) => (
            <TextField
              key={name}
              label={`${name} (${place}${required ? `, ${words.required}` : ""})`}
              hint={description.replaceAll("`", "")}
              spellcheck={false}
              autocomplete="off"
              value={values[name] ?? ""}
              onText={(text) => setValues((before) => ({ ...before, [name]: text }))}
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

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
