import type { WalletSetup } from "../../../../src/wallets/schema.js";
import type { SignedInUser } from "../../../http/auth/index.js";
import { type Html, html } from "../../../http/html-page.js";
import type { Assets } from "./assets.js";
import type { ConsoleUser } from "./console-user.js";
import { wordsIn } from "./words/words.js";

/** A link in the console's navigation that leads to one of the host's own pages. */
export interface ConsoleLink {
  /** The link's text. All users see the same text, regardless of their language. */
  readonly text: string;
  /** The link's URL or path. */
  readonly url: string;
  /** Returns whether to show the link to a signed-in user. If omitted, all users see the link. */
  readonly isShownTo?: (user: Pick<SignedInUser, "organizationId" | "scopes">) => boolean;
}

export interface ConsolePage {
  /** The path prefix under which the API is mounted. */
  readonly prefix: string;
  readonly user: ConsoleUser;
  /** The organization's name from its settings, or `null` if it isn't set. */
  readonly shopName: string | null;
  /** The hash of the organization's logo, or `null` if it has none. */
  readonly shopLogo: string | null;
  /** The time zone in which the organization's days begin and end. */
  readonly timeZone: string;
  readonly scopes: readonly string[];
  /** The URL where users sign out of the host, or `null` if the console ends sessions itself. */
  readonly signOut: string | null;
  readonly links: readonly ConsoleLink[];
  /** Whether the service is set up to send email. */
  readonly hasMail: boolean;
  /** Whether the service is set up to add passes to wallets. */
  readonly hasWallets: boolean;
  /** The organization's wallet setup, or `null` if the user isn't allowed to see it. */
  readonly wallets: WalletSetup | null;
  /** The URL at which customers' phones reach the server, or `null` if it is unknown. */
  readonly publicUrl: string | null;
  /** The origin where staff can sign in with passkeys, or `null` if passkeys are disabled. */
  readonly passkeys: string | null;
  /** Whether the user runs the server, and so sees the page "Server". */
  readonly isOperator: boolean;
}

/** The script for the screen that most users see first. */
const FIRST_SCREEN = "overview-screen.js";

/** What the page shows until its scripts are there, which takes seconds on a slow network. */
const placeholder = html`<div class="content stack" aria-busy="true">${Array.from({ length: 4 }, () => html`<div class="skeleton"></div>`)}</div>`;

/** Puts the signed-in user into the page's head, so that the first render needs no request. */
function sessionMeta({ user, ...rest }: Omit<ConsolePage, "prefix">): Html {
  const { organizationId, subject, person } = user;
  const session = { organizationId, subject, person: person && toDisplayedPerson(person), ...rest };
  return html`<meta name="session" content="${JSON.stringify(session)}">`;
}

function toDisplayedPerson({ id, name, email, role }: NonNullable<ConsoleUser["person"]>) {
  return { id, name, email, role };
}

/** Returns preload links for the scripts that the main script will import. */
function preloaded(assets: Assets, prefix: string, isFirst: boolean): Html[] {
  const paths = new Set(assets.listImports("main.js"));
  if (isFirst) {
    for (const path of [assets.formatPath(FIRST_SCREEN), ...assets.listImports(FIRST_SCREEN)])
      paths.add(path);
  }
  // Screens import parts of the main script, which the page itself loads.
  paths.delete(assets.formatPath("main.js"));
  return [...paths].map(
    (path) => html`<link rel="modulepreload" href="${prefix}/console/${path}">
`,
  );
}

/**
 * Returns the HTML page that loads the console. The browser renders all screens.
 * @param isFirst whether the user requested the console's root URL. If so, the page preloads the script for the overview.
 */
export function consolePage(assets: Assets, { prefix, ...session }: ConsolePage, isFirst: boolean): Html {
  const words = wordsIn[assets.language];
  return html`<!doctype html>
<html lang="${assets.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1115" media="(prefers-color-scheme: dark)">
<meta name="mount" content="${prefix}">
${sessionMeta(session)}
<title>${words.title}</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="manifest" href="${prefix}/console/manifest.webmanifest">
<link rel="stylesheet" href="${prefix}/console/${assets.formatPath("main.css")}">
<script type="module" src="${prefix}/console/${assets.formatPath("main.js")}"></script>
${preloaded(assets, prefix, isFirst)}</head>
<body>
<div id="console">${placeholder}</div>
<noscript><p>${words.needsScript}</p></noscript>
</body>
</html>
`;
}

/** Returns the API reference page. If `session` is `null`, the page contains no data about any organization. */
export function referencePage(
  assets: Assets,
  prefix: string,
  session: Omit<ConsolePage, "prefix"> | null,
): Html {
  const words = wordsIn[assets.language];
  return html`<!doctype html>
<html lang="${assets.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="mount" content="${prefix}">
${session === null ? [] : [sessionMeta(session)]}
<title>${words.reference}</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/console/${assets.formatPath("main.css")}">
<script type="module" src="${prefix}/console/${assets.formatPath("reference.js")}"></script>
</head>
<body>
<div id="reference"></div>
<noscript><p>${words.referenceNeedsScript} <a href="${prefix}/v1/openapi.json">openapi.json</a></p></noscript>
</body>
</html>
`;
}
