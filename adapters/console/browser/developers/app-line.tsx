import { useState } from "preact/hooks";
import type { App, AppWithSecret } from "../../../../src/resources/app.js";
import { post, remove } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Confirm, Dialog } from "../parts/dialog.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted, dayText } from "../parts/words.js";
import { ScopeChips } from "./scope-chips.js";
import { ShownOnce } from "./shown-once.js";

interface AppLineProps {
  readonly app: App;
  readonly onChanged: () => void;
}

/** One app: its id and addresses, another secret, and its end. */
export function AppLine({ app, onChanged }: AppLineProps) {
  const { id, name, isPublic, redirectUris, scopes, createdAt } = app;
  const [asked, setAsked] = useState<"secret" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const act = async (work: () => Promise<void>) => {
    setAsked(null);
    try {
      await work();
      onChanged();
    } catch (error) {
      tellFailure(error);
    }
  };
  const rotate = async (atOnce: boolean) => {
    const { clientSecret } = await post<AppWithSecret>(`/v1/apps/${id}/rotate-secret`, { atOnce });
    setSecret(clientSecret);
  };
  const end = async () => {
    await remove(`/v1/apps/${id}`);
    tell(`The app “${name}” was deleted`);
  };
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          <code>{id}</code> {isPublic && <span class="chip">public</span>}
        </p>
        <p class="quiet">
          {counted(scopes.length, "scope")} · registered {dayText(createdAt)}
        </p>
        <details>
          <summary class="quiet">Redirect URIs and scopes</summary>
          {redirectUris.map((uri) => (
            <p key={uri}>
              <code>{uri}</code>
            </p>
          ))}
          <ScopeChips scopes={scopes} />
        </details>
      </div>
      <div class="row">
        {!isPublic && <Button onClick={() => setAsked("secret")}>New secret</Button>}
        <Button kind="plain" onClick={() => setAsked("delete")}>
          Delete
        </Button>
      </div>
      {asked === "delete" && (
        <Confirm
          title={`Delete “${name}”?`}
          verb={`Delete ${name}`}
          onConfirm={() => void act(end)}
          onClose={() => setAsked(null)}
        >
          <p>
            It gets no tokens any more, and those that it has end now, in every organization that allowed it.
            This can’t be undone.
          </p>
        </Confirm>
      )}
      {asked === "secret" && (
        <Dialog title={`A new secret for “${name}”`} onClose={() => setAsked(null)}>
          <p>
            The one before stays good for 24 hours, until your servers have the new one. If it leaked, end it
            now.
          </p>
          <div class="actions">
            <Button onClick={() => setAsked(null)}>Cancel</Button>
            <Button kind="danger" onClick={() => void act(() => rotate(true))}>
              End the old one now
            </Button>
            <Button kind="primary" onClick={() => void act(() => rotate(false))}>
              Make new secret
            </Button>
          </div>
        </Dialog>
      )}
      {secret !== null && (
        <ShownOnce
          title={`The new secret of “${name}”`}
          use="The app proves with it who it is."
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </li>
  );
}
