import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/parts.css";
import "../styles/screens.css";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { base, isSignedIn, mount, session } from "../api/session.js";
import { ErrorText } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { reference as words } from "../words/en/reference.js";
import { type ApiDocument, listOperations, loadDocument } from "./api-document.js";
import { Operation } from "./operation.js";

/** The API reference: all operations from the server's OpenAPI document, with forms to try them. */
function Reference() {
  const [document, setDocument] = useState<ApiDocument | null>(null);
  const [failure, setFailure] = useState("");
  const [search, setSearch] = useState("");
  const [token, setToken] = useState("");
  useEffect(() => {
    loadDocument().then(setDocument, (error: unknown) => setFailure(String(error)));
  }, []);
  const sought = search.trim().toLowerCase();
  const operations = document === null ? [] : listOperations(document);
  const found = operations.filter(({ method, path, summary }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(sought),
  );
  const tags = [...new Set(found.map(({ tag }) => tag))];
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
      {document !== null && found.length === 0 && <p class="quiet">{words.noneFound}</p>}
      {tags.map((tag) => (
        <section key={tag} class="stack tight" aria-label={tag}>
          <h2>{tag}</h2>
          {found
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
