import { CoalescedCalls } from "../../../src/base/concurrency/shared-calls.js";
import { isLoyaltyError } from "../../../src/base/errors.js";
import { isPassCode, linkTo } from "../../../src/base/values/short-link.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { MailBackend, SignedMailLink } from "../../../src/messages/mail-backend.js";
import { fillPlaceholders, type Locale } from "../../delivery/languages/languages.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { readWholeBody } from "../../http/request/body.js";
import { parseContentHeaders } from "../../http/request/http-message.js";
import { type AddressChoices, renderAddressPage, renderConfirmationPage } from "./address-page.js";
import { pageResponse, renderBadLinkPage } from "./page.js";
import { chooseLocale, loadShop, type ShopLook } from "./shop.js";

const MAX_BYTES = 16_384;

const getNoField: GetField = () => null;

/** Maximum length of a token; an emailed link has at most 200 characters. */
const MAX_TOKEN_LENGTH = 120;

/**
 * Handles requests for emailed links. The link's token is the visitor's only credential. Because there is no session, a form on
 * another site can't do anything that its author couldn't already do with the token.
 */
export class MailLinkHandler {
  private readonly backend: Pick<MailBackend, "verifyLink" | "unsubscribe" | "confirm" | "suppressAddress">;
  /** Running changes, keyed by link, so that concurrent requests for a link make only one change. */
  private readonly changes = new CoalescedCalls<boolean>();

  constructor(private readonly loyalty: LoyaltyService) {
    this.backend = serviceInternals(loyalty).backends.mail;
  }

  async handleUnsubscribe(locale: Locale, token: string, request: HttpRequest): Promise<HttpResponse> {
    const link = await this.verifyLink(token);
    if (link === null || link.purpose === "confirm" || link.purpose === "refuse")
      return renderBadLinkPage(locale);
    const linkChannel = link.purpose;
    if (request.method !== "POST") {
      const { settings, messageSettings } = this.loyalty.organization(link.organizationId);
      const [{ name }, { senderName }] = await Promise.all([settings.get(), messageSettings.get()]);
      return renderUnsubscribePage(locale, linkChannel, senderName ?? name);
    }
    const { channel, isOneClick } = await readMailForm(request);
    const endedChannels: MailChannels = isOneClick ? linkChannel : pickChannelsToEnd(linkChannel, channel);
    const isValidLink = await this.changes.run(`${endedChannels} ${token}`, () =>
      this.backend.unsubscribe(token, endedChannels),
    );
    if (!isValidLink) return renderBadLinkPage(locale);
    return isOneClick ? emptyResponse : renderUnsubscribedPage(locale, endedChannels);
  }

  /**
   * Serves the page that lets a customer confirm or reject their address. If the request contains a valid answer, applies it.
   * Otherwise, shows the forms without changing anything.
   */
  async handleAddress(locale: Locale, token: string, request: HttpRequest): Promise<HttpResponse> {
    const link = await this.verifyLink(token);
    if (link === null || link.purpose === "email" || link.purpose === "wallet")
      return renderBadLinkPage(locale);
    const { answer, code } = request.method === "POST" ? await readMailForm(request) : emptyForm;
    const look = await this.loadLook(link, code, request.prefix);
    const pageLocale = chooseLocale(look.shop, request);
    if (answer === null) {
      const action = `${request.prefix}/m/c/${token}`;
      const mayConfirm = link.purpose === "confirm";
      return renderAddressPage(pageLocale, look, {
        action,
        code,
        mayConfirm,
        isNewsPending: false,
        mayRefuse: true,
      });
    }
    const change = () =>
      answer === "confirm" ? this.backend.confirm(token) : this.backend.suppressAddress(token);
    const isApplied = await this.changes.run(`${answer} ${token}`, change);
    if (!isApplied) return renderBadLinkPage(locale);
    return renderConfirmationPage(pageLocale, look, {
      answer,
      getsNews: answer === "confirm" && (await this.isSubscribed(link)),
      card: code === null ? null : `${linkTo(`${request.prefix}/c`, code)}?m=${token}`,
    });
  }

  /** Resolves to a look with the colors of the customer's card with this code, or else of the first card. */
  private async loadLook(
    { organizationId, userId }: SignedMailLink,
    code: string | null,
    prefix: string,
  ): Promise<ShopLook> {
    const organization = this.loyalty.organization(organizationId);
    const [shop, passes] = await Promise.all([
      loadShop(organization),
      userId === null ? [] : organization.passes.ofUser(userId),
    ]);
    const pass = passes.find(({ qrCodeValue }) => qrCodeValue.endsWith(`/${code}`)) ?? passes[0];
    return { shop, card: pass?.template ?? { design: null }, prefix };
  }

  private async isSubscribed({ organizationId, userId }: SignedMailLink): Promise<boolean> {
    if (userId === null) return false;
    const { email } = await this.loyalty.organization(organizationId).subscriptions.get(userId);
    return email.status === "SUBSCRIBED";
  }

  /**
   * Resolves to a customer's choices for confirming or rejecting their address on a card page that was opened with the token from
   * an emailed link. Resolves to `null` if the token isn't valid for the card's owner.
   */
  async findAddressChoices(
    token: string,
    card: { readonly organizationId: string; readonly userId: string; readonly code: string },
    prefix: string,
  ): Promise<AddressChoices | null> {
    const link = await this.verifyLink(token);
    if (link === null || link.organizationId !== card.organizationId || link.userId !== card.userId)
      return null;
    if (link.purpose === "email" || link.purpose === "wallet") return null;
    const { email, suppressed, emailConfirmedAt } = await this.loyalty
      .organization(card.organizationId)
      .subscriptions.get(card.userId);
    const isNewsPending = email.status === "PENDING" && email.source === "join";
    const isConfirmed = emailConfirmedAt !== null && !isNewsPending;
    return {
      action: `${prefix}/m/c/${token}`,
      code: card.code,
      mayConfirm: link.purpose === "confirm" && !isConfirmed && suppressed === null,
      isNewsPending,
      mayRefuse: suppressed === null,
    };
  }

  private verifyLink(token: string) {
    return token.length <= MAX_TOKEN_LENGTH ? this.backend.verifyLink(token) : null;
  }
}

const emptyForm: Pick<MailForm, "answer" | "code"> = { answer: null, code: null };

/** The response for mail clients. They must not be redirected (RFC 8058, section 3.1), and show nothing of the response. */
const emptyResponse: HttpResponse = { status: 200, headers: { "cache-control": "no-store" }, body: null };

/** A form that was submitted from a page that an emailed link opens, or by a mail client's one-click unsubscribe. */
interface MailForm {
  /** Whether the form was submitted by a mail client's one-click unsubscribe (RFC 8058) rather than from a page. */
  readonly isOneClick: boolean;
  /** The channel to unsubscribe from, or `null` if the form doesn't specify a valid channel. */
  readonly channel: MailChannels | null;
  /** Whether the customer confirmed or refused their address, or `null` if the form contains neither answer. */
  readonly answer: "confirm" | "refuse" | null;
  /** The code of the card whose page contained the form, or `null` if the form wasn't on a card page. */
  readonly code: string | null;
}

/**
 * Reads a submitted form. An unreadable form is treated as empty, so even a malformed request can unsubscribe. Supports
 * `multipart/form-data` because mail clients are allowed to use it (RFC 8058, section 3.1).
 */
export async function readMailForm(request: HttpRequest): Promise<MailForm> {
  const fields = await readFields(request);
  // In every format, the first value of a field counts, without surrounding whitespace.
  const readField = (name: string) => fields(name)?.trim() ?? null;
  const channel = readField("channel");
  const answer = readField("answer");
  const code = readField("code");
  return {
    isOneClick: readField("List-Unsubscribe") === "One-Click",
    channel: channel === "email" || channel === "wallet" || channel === "all" ? channel : null,
    answer: answer === "confirm" || answer === "refuse" ? answer : null,
    code: code !== null && isPassCode(code) ? code : null,
  };
}

type GetField = (name: string) => string | null;

async function readFields({ headers, body }: HttpRequest): Promise<GetField> {
  if (body.kind === "parsed") return readParsedFields(body.value);
  if (body.kind !== "bytes") return getNoField;
  const text = await readText(body.chunks, headers);
  const { type, parameters } = parseContentHeaders(headers);
  if (type !== "multipart/form-data") {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name);
  }
  const boundary = parameters.get("boundary") ?? "";
  return boundary === "" ? getNoField : parseMultipartFields(text, boundary);
}

/** Reads a form that the host's body parser has already parsed. */
function readParsedFields(value: unknown): GetField {
  const fields = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  return (name) => {
    const [fieldValue]: unknown[] = [fields.get(name)].flat();
    return typeof fieldValue === "string" ? fieldValue : null;
  };
}

/** Parses multipart form data (RFC 7578). All fields are short strings. */
function parseMultipartFields(text: string, boundary: string): GetField {
  const fields = new Map<string, string>();
  for (const part of text.split(`--${boundary}`)) {
    const end = part.indexOf("\r\n\r\n");
    const [, quoted, bare] =
      /^content-disposition:[^\r\n]*;[ \t]*name=(?:"([^"\r\n]*)"|([\w-]+))/im.exec(part.slice(0, end)) ?? [];
    const name = quoted ?? bare;
    if (end >= 0 && name !== undefined && !fields.has(name)) fields.set(name, part.slice(end));
  }
  return (name) => fields.get(name) ?? null;
}

/** Reads the body as text. Resolves to an empty string if the body is too long or incomplete. */
async function readText(chunks: AsyncIterable<Uint8Array>, headers: HttpRequest["headers"]): Promise<string> {
  try {
    return Buffer.from(await readWholeBody(chunks, headers, MAX_BYTES)).toString("utf8");
  } catch (error) {
    if (isLoyaltyError(error, "storage_unavailable")) throw error;
    return "";
  }
}

/** A channel that delivers messages to customers. */
type MailChannel = "email" | "wallet";

/** The channels to unsubscribe from: either a single channel or all of them. */
type MailChannels = MailChannel | "all";

/** Returns the link's own channel if the form asks for it or doesn't specify a channel. Otherwise, returns all channels. */
function pickChannelsToEnd(linkChannel: MailChannel, requestedChannels: MailChannels | null): MailChannels {
  return requestedChannels === null || requestedChannels === linkChannel ? linkChannel : "all";
}

/**
 * Renders the page that an unsubscribe link opens. It is the same for everyone who has the link and reveals nothing about the
 * customer.
 */
function renderUnsubscribePage(
  locale: Locale,
  linkChannel: MailChannel,
  sender: string | null,
): HttpResponse {
  const { texts } = locale;
  const other = linkChannel === "email" ? "wallet" : "email";
  return pageResponse(locale, {
    title: texts.unsubscribe,
    content: html`<h1>${texts.unsubscribe}</h1>
<p>${sender === null ? texts.whichMessages : fillPlaceholders(texts.whichMessagesOf, { sender })}</p>
<form method="post">
${renderChoice(linkChannel, texts.stop[linkChannel])}
${renderChoice(other, texts.stop.both, "plain")}
${renderChoice("all", texts.stop.all, "plain")}
</form>
<p class="quiet">${texts.cardStays}</p>`,
  });
}

function renderUnsubscribedPage(locale: Locale, endedChannels: MailChannels): HttpResponse {
  const { texts } = locale;
  return pageResponse(locale, {
    title: texts.unsubscribed,
    content: html`<h1>${texts.unsubscribed}</h1>
<p>${texts.stopped[endedChannels]}</p>
<p class="quiet">${texts.cardStays}</p>`,
  });
}

function renderChoice(channel: MailChannels, label: string, variant?: "plain"): Html {
  const style = variant === undefined ? [] : [html` class="${variant}"`];
  return html`<button name="channel" value="${channel}"${style}>${label}</button>`;
}
