import { createLoyaltyError } from "../../../../src/base/errors.js";
import { isSameSecret } from "../../../../src/base/secrets/token-format.js";
import type { OutgoingMail, SendReply } from "../../../delivery/mail/outgoing-mail.js";
import { errorResponse, methodNotAllowedResponse } from "../../../http/error-response.js";
import { type Html, HtmlLayout, html } from "../../../http/html-page.js";
import type { HttpExtension, HttpResponse } from "../../../http/index.js";
import { splitUrl } from "../../../http/request/http-message.js";
import { liveScript } from "../../pages/page.js";
import { style } from "../../pages/style.js";

const layout = new HtmlLayout(
  `${style}
main { max-width: 44rem; }
a { color: inherit; }
.mails { margin: 0; padding: 0; list-style: none; display: grid; gap: .5rem; }
.mails li { padding: .75rem 1rem; border-radius: .75rem; background: #fff; }
.mails p { margin: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
.mails a { display: inline-block; padding: .25rem 0; }
.mails .subject { font-weight: 600; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: #5d5d6b; }
dd { margin: 0; }
iframe { box-sizing: border-box; display: block; width: 100%; height: 38rem; border: 1px solid #c9c9d3;
  border-radius: .75rem; background: #fff; }
summary { padding: .75rem 0; cursor: pointer; }
pre { white-space: pre-wrap; }
@media (prefers-color-scheme: dark) {
  .mails li { background: #1b1f27; }
  dt { color: #a3a9b7; }
  iframe { border-color: #3a404c; background: #0f1115; }
}
`,
  liveScript,
);

interface MailboxPagesOptions {
  /** Secret in the path. Anyone who has it can read all emails. */
  readonly key: string;
  /** Returns the URL prefix of the links and pictures in emails. */
  readonly publicUrl: () => string;
  /** Whether links in emails should lead to the address at which the mailbox was opened, instead of the public URL. */
  readonly rewriteLinks: boolean;
}

/**
 * Creates the pages for a demo's mailbox: a list of emails and a page for each one. Each email is shown in a frame that can't run
 * scripts.
 */
export function createMailboxPages(mailbox: DemoMailbox, options: MailboxPagesOptions): HttpExtension {
  const base = buildMailboxPath(options.key);
  return {
    paths: ["/demo/mailbox/*"],
    async handle({ method, url, prefix }) {
      const { path, query } = splitUrl(url);
      const [, , , key = "", id = "", part = "", ...rest] = path.split("/");
      if (!isSameSecret(key, options.key) || rest.length > 0)
        return errorResponse(createLoyaltyError("resource_not_found"));
      if (method !== "GET" && method !== "HEAD") {
        return methodNotAllowedResponse(["GET"]);
      }
      const basePath = `${prefix}${base}`;
      if (id === "")
        return renderListPage(
          mailbox,
          { base: basePath, prefix },
          new URLSearchParams(query ?? "").get("to"),
        );
      const mail = mailbox.find(id);
      if (mail === null) return renderNotFoundPage({ base: basePath, prefix });
      if (part === "html") return renderFramedMail(mail, options, prefix);
      return part === ""
        ? renderMailPage(mail, { base: basePath, prefix })
        : errorResponse(createLoyaltyError("resource_not_found"));
    },
  };
}

/**
 * Returns the path of the page that lists the emails.
 * @param key the mailbox's secret. Anyone who knows it can read the emails.
 */
export function buildMailboxPath(key: string): string {
  return `/demo/mailbox/${key}`;
}

interface MailboxPaths {
  /** Path of the list, including the prefix. */
  readonly base: string;
  /** Path at which the service is mounted. */
  readonly prefix: string;
}

function renderListPage(
  mailbox: DemoMailbox,
  { base, prefix }: MailboxPaths,
  address: string | null,
): HttpResponse {
  const mails = mailbox.list(address);
  const allMailsLink = html`<p><a href="${base}">All emails</a></p>`;
  return layout.renderResponse({
    title: "Demo mailbox",
    isLive: true,
    content: html`<h1>${address === null ? "Demo mailbox" : `Emails to ${address}`}</h1>
<p class="quiet">This demo doesn’t send emails. It shows them here instead, newest first, until the server stops.</p>
${address === null ? [] : [allMailsLink]}
${mails.length === 0 ? [html`<p>No emails yet. Sign up with a poster from the console, and your email will appear here.</p>`] : []}
<ul class="mails">
${mails.map(
  (mail) => html`<li><a class="subject" href="${base}/${mail.id}">${mail.subject}</a>
<p class="quiet"><a href="${base}?${new URLSearchParams({ to: mail.to }).toString()}">${mail.to}</a> ${formatTime(mail)}</p></li>
`,
)}</ul>
${renderConsoleLink(prefix)}`,
  });
}

function renderConsoleLink(prefix: string): Html {
  return html`<p><a href="${prefix}/console">Back to the console</a></p>`;
}

function formatTime({ date }: OutgoingMail): Html {
  const time = date.toISOString();
  return html`<time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time>`;
}

function renderMailPage(mail: OutgoingMail, { base, prefix }: MailboxPaths): HttpResponse {
  const { from, to, replyTo, subject, text, id } = mail;
  const sender = from.name === null ? from.address : `${from.name} <${from.address}>`;
  return layout.renderResponse({
    title: subject,
    frames: "'self'",
    content: html`<p><a href="${base}">All emails</a></p>
<h1>${subject}</h1>
<dl>
<dt>From</dt><dd>${sender}</dd>
<dt>To</dt><dd>${to}</dd>
${replyTo === null ? [] : [html`<dt>Reply-to</dt><dd>${replyTo}</dd>`]}
<dt>Date</dt><dd>${formatTime(mail)}</dd>
</dl>
<iframe src="${base}/${id}/html" title="The email" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<details><summary>Plain text version</summary><pre>${text}</pre></details>
${renderConsoleLink(prefix)}`,
  });
}

function renderNotFoundPage({ base, prefix }: MailboxPaths): HttpResponse {
  return layout.renderResponse({
    title: "Email not found",
    status: 404,
    content: html`<h1>Email not found</h1>
<p>The mailbox only keeps the newest emails sent since the server started.</p>
<p><a href="${base}">All emails</a></p>
${renderConsoleLink(prefix)}`,
  });
}

/**
 * Returns an email's HTML so that it runs no scripts, submits no forms and loads nothing from other hosts, wherever it is shown.
 * Its links open in a new tab.
 */
function renderFramedMail(
  mail: OutgoingMail,
  { publicUrl, rewriteLinks }: MailboxPagesOptions,
  prefix: string,
): HttpResponse {
  const url = publicUrl();
  const body = mail.html.replace(/<head[^>]*>/i, (head) => `${head}<base target="_blank">`);
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": mail.language,
      "content-security-policy": [
        "sandbox allow-popups allow-popups-to-escape-sandbox",
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        `img-src 'self' data: ${new URL(url).origin}`,
        "form-action 'none'",
        "frame-ancestors 'self'",
      ].join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
    // A phone reaches the demo at a different address than this machine does.
    body: rewriteLinks ? body.replaceAll(`="${url}/`, `="${prefix}/`) : body,
  };
}

/** Maximum number of emails in the mailbox, and of characters in all of them together. The oldest emails are dropped first. */
const MAX_MAILS = 200;
const MAX_CHARACTERS = 4_000_000;

/** An in-memory mailbox that stores a demo's emails instead of sending them. The emails are lost when the process ends. */
export class DemoMailbox {
  /** Emails, oldest first. */
  private mails: readonly OutgoingMail[] = [];

  /**
   * Stores an email and replies like a mail server. Replaces an earlier email with the same ID, and drops the oldest emails if the
   * mailbox is full.
   */
  readonly send = async (mail: OutgoingMail): Promise<SendReply> => {
    const mails = [...this.mails.filter(({ id }) => id !== mail.id), mail].slice(-MAX_MAILS);
    let characters = 0;
    const lastDroppedIndex = mails.findLastIndex((each) => {
      characters += countCharacters(each);
      return characters > MAX_CHARACTERS;
    });
    this.mails = mails.slice(lastDroppedIndex + 1);
    return { code: 250, answer: "stored in the demo mailbox" };
  };

  /** Returns the emails sent to the given address, or all emails if the address is `null`, newest first. */
  list(address: string | null): readonly OutgoingMail[] {
    return this.mails.filter(({ to }) => address === null || to === address).reverse();
  }

  /**
   * Returns the email with the given ID. Returns `null` if there is no such email or if it was dropped to make room for newer ones.
   */
  find(id: string): OutgoingMail | null {
    return this.mails.find((mail) => mail.id === id) ?? null;
  }
}

function countCharacters({ subject, text, html, to }: OutgoingMail): number {
  return subject.length + text.length + html.length + to.length;
}
