import type { WalletSetup } from "../../../src/resources/wallet-certificate.js";
import type { SignedInUser } from "../../auth/index.js";
import { type Html, html } from "../../http/html-page.js";
import type { Assets } from "./assets.js";
import type { ConsoleUser } from "./console-user.js";
import { wordsIn } from "./words/words.js";

/** A link of the host in the navigation of the console. */
export interface ConsoleLink {
  readonly text: string;
  readonly url: string;
  /** Returns whether a signed-in user sees the link. Default: every user does. */
  readonly isShownTo?: (user: Pick<SignedInUser, "organizationId" | "scopes">) => boolean;
}

export interface ConsolePage {
  /** The mount's prefix. */
  readonly prefix: string;
  readonly user: ConsoleUser;
  /** The organization's name in its settings; `null` if it has none. */
  readonly shopName: string | null;
  readonly scopes: readonly string[];
  /** The address where the host ends its own sessions; `null` if the console ends them. */
  readonly signOut: string | null;
  readonly links: readonly ConsoleLink[];
  /** True when the service sends mails. */
  readonly hasMail: boolean;
  /** True when the service puts passes into wallets. */
  readonly hasWallets: boolean;
  /** The wallet setup; `null` if the user may not see it. */
  readonly wallets: WalletSetup | null;
  /** The origin at which people sign in by passkeys; `null` if none are set up. */
  readonly passkeys: string | null;
}

/** The script of the screen that most people see first. */
const FIRST_SCREEN = "overview-screen.js";

/** Tells the page in its head who is signed in, for its first drawing to be quick. */
function sessionMeta({ user, ...rest }: Omit<ConsolePage, "prefix">): Html {
  const { organizationId, subject, person } = user;
  const session = { organizationId, subject, person: person && shown(person), ...rest };
  return html`<meta name="session" content="${JSON.stringify(session)}">`;
}

function shown({ id, name, email, role }: NonNullable<ConsoleUser["person"]>) {
  return { id, name, email, role };
}

/** The scripts that the browser preloads, before the main one asks for them. */
function preloaded(assets: Assets, prefix: string, isFirst: boolean): Html[] {
  const first = isFirst ? [assets.formatPath(FIRST_SCREEN), ...assets.listImports(FIRST_SCREEN)] : [];
  return [...new Set([...assets.listImports("main.js"), ...first])].map(
    (path) => html`<link rel="modulepreload" href="${prefix}/console/${path}">
`,
  );
}

/** The page that every screen is drawn in. @param isFirst for the screen at the console's own address. */
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
<div id="console"></div>
<noscript><p>${words.needsScript}</p></noscript>
</body>
</html>
`;
}

/** The page of the API reference. Without a session it contains nothing of any organization. */
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
