import { type Html, html } from "../../../http/html-page.js";
import type { Assets } from "./assets.js";
import { wordsIn } from "./words/words.js";

/** Returns a sign-in page with the given content. Except for passkeys, the page works without JavaScript. */
export function signInFrame(assets: Assets, prefix: string, title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="${assets.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${wordsIn[assets.language].title}</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/console/${assets.formatPath("main.css")}">
</head>
<body class="sign-in">
<main>
${content}
</main>
</body>
</html>
`;
}
