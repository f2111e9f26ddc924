import { type Routes, type RouteText, routes } from "../../../../../src/kernel/routes.js";
import { buildRequest } from "../../../../http/client/call-request.js";
import { hasScopes, mount } from "../api/session.js";
import { code as words } from "../words/en/code.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import type { MenuItem } from "./menu.js";
import { showToast } from "./toasts.js";

interface CodeDialogProps {
  readonly call: CallReference;
  readonly onClose: () => void;
}

/** A dialog that shows an API call as a shell command and as JavaScript code, ready to copy. */
export function CodeDialog({ call, onClose }: CodeDialogProps) {
  const { curl, client } = createSnippet(location.origin + mount, call);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    showToast(words.copied);
  };
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      <p class="quiet">
        {words.set} <code>LOYALTY_TOKEN</code> {words.toToken}
      </p>
      {[
        { label: words.forShell, verb: words.copyCurl, text: curl },
        { label: words.forProgram, verb: words.copyClient, text: client },
      ].map(({ label, verb, text }) => (
        <section key={label} class="stack tight" aria-label={label}>
          <pre class="secret">{text}</pre>
          {/* Browsers allow copying only on https and localhost. Elsewhere, one click selects the whole text. */}
          {window.isSecureContext && (
            <div class="row">
              <Button text={verb} onClick={() => void copy(text)} />
            </div>
          )}
        </section>
      ))}
      <div class="actions">
        <Button text={words.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/**
 * Returns an array with a menu item that shows the code for an API call. The array is empty if the user isn't allowed to manage API
 * tokens.
 */
export function buildCodeMenuItems(call: CallReference): readonly MenuItem[] {
  if (!hasScopes("api_token:manage")) return [];
  return [
    {
      text: words.item,
      hint: words.itemHint,
      dialog: (close) => <CodeDialog call={call} onClose={close} />,
    },
  ];
}

/** Example code for an API call. The code reads the API token from an environment variable. */
interface CallSnippet {
  /** A `curl` command for a POSIX shell. */
  readonly curl: string;
  /** A JavaScript module that makes the call and prints the result. */
  readonly client: string;
}

/** An API call, identified by its group and name. `args` contains the path parameters followed by the query or body. */
type CallReference = {
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
function createSnippet(url: string, { group, name, args }: CallReference): CallSnippet {
  const calls: Readonly<Record<string, RouteText>> = routes[group];
  const route = calls[name];
  if (route === undefined) throw new Error(`there is no call ${group}.${name}`);
  const { method, target, body } = buildRequest(route, args, ({ code }) => new Error(code));
  const curl = [
    `curl -X ${method} ${quoteForShell(url + target)}`,
    `-H "Authorization: Bearer $LOYALTY_TOKEN"`,
    ...(body === null
      ? []
      : [`-H ${quoteForShell("Content-Type: application/json")}`, `-d ${quoteForShell(body)}`]),
  ];
  const argTexts = args.filter((each) => each !== undefined).map((each) => JSON.stringify(each, null, 2));
  const client = [
    `import { createClient } from "loyalty-kit/client";`,
    "",
    `const shop = createClient({ url: ${JSON.stringify(url)}, token: process.env.LOYALTY_TOKEN ?? "" });`,
    `const result = await shop.${group}.${name}(${argTexts.join(", ")});`,
    "console.log(JSON.stringify(result, null, 2));",
  ];
  return { curl: curl.join(" \\\n  "), client: client.join("\n") };
}

/** Quotes text as a single word for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
