import { controlCharacters } from "../../../../src/base/values/display-text.js";
import { httpDate } from "../../../../src/base/values/http-date.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { getHeaderValue, parseAuthorization, splitUrl } from "../../../http/request/http-message.js";

import { CallLimit } from "../call-limit.js";
import type { Endpoints } from "../endpoints.js";
import { toFields } from "../json.js";
import { readBody, tooManyRequestsResponse, walletErrorResponse, walletResponse } from "../responses.js";
import type { AcceptedMessages, WalletContext } from "../wallet-platform.js";
import type { PassCache } from "./pass-cache.js";

const MAX_REGISTRATION_BYTES = 4_096;

/** Limits for log lines from phones: calls, bytes and lines per call, and characters per line. */
const LOG_CALLS = { perMinute: 60, perDay: 1_000 };
const MAX_LOG_BYTES = 65_536;
const MAX_LOG_LINES = 20;
const MAX_LOG_LENGTH = 500;

/** Matches strings that may be secrets, such as the tokens of passes and phones. */
const secretPattern = /[0-9A-Za-z_-]{20,}/g;

/** Handles a log line that a phone sent. */
export type LogDeviceLine = (line: string) => void;

/** Delay after which phones retry while the certificate can't sign, in seconds. */
const UNSIGNED_RETRY_SECONDS = "3600";

const deviceIdPattern = /^[\w-]{1,128}$/;
const pushTokenPattern = /^[\w-]{1,256}$/;

const unauthorizedResponse = () => walletErrorResponse("unauthorized", { "www-authenticate": "ApplePass" });

/** Implements the web service that Apple Wallet calls for passes, and serves the links that add passes to phones. */
export class AppleWebService {
  private readonly backend: WalletBackend;
  private readonly messages: AcceptedMessages;
  private readonly registrations: CallLimit;
  private readonly logs: CallLimit;

  constructor(
    { backend, messages, registrations }: Pick<WalletContext, "backend" | "messages" | "registrations">,
    private readonly passes: PassCache,
    private readonly onDeviceLog: LogDeviceLine,
  ) {
    this.backend = backend;
    this.messages = messages;
    this.registrations = registrations;
    this.logs = new CallLimit(backend.clock, LOG_CALLS, 1);
  }

  readonly endpoints: Endpoints = {
    "/wallets/apple/passes/{passId}/{file}": (request, passId, file) => this.serveLink(request, passId, file),
    "/wallets/apple/v1/log": (request) => this.log(request),
    "/wallets/apple/v1/passes/{passTypeId}/{passId}": (request, _, passId) =>
      this.serveLatest(request, passId),
    "/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}": (request, deviceId) =>
      this.listUpdated(request, deviceId),
    "/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}/{passId}": (
      request,
      deviceId,
      _,
      passId,
    ) => this.changeRegistration(request, deviceId, passId),
  };

  /** Serves a pass by its link, inline so that a phone opens it. */
  private async serveLink(request: HttpRequest, passId: string, file: string): Promise<HttpResponse> {
    const token = file.endsWith(".pkpass") ? file.slice(0, -".pkpass".length) : "";
    const issuedCard = await this.backend.open(passId, "linkToken", token);
    if (issuedCard === null || issuedCard.card.revokedAt !== null)
      return walletErrorResponse("resource_not_found");
    return this.sendPass(issuedCard, "private, no-store", request);
  }

  private async serveLatest(request: HttpRequest, passId: string): Promise<HttpResponse> {
    const token = readToken(request);
    const issuedCard = token === null ? null : await this.backend.open(passId, "authenticationToken", token);
    if (issuedCard === null) return unauthorizedResponse();
    const { changedAt, revokedAt } = issuedCard.card;
    if (revokedAt !== null) await this.backend.revoked.onFetched(issuedCard.organizationId, passId);
    const cachedSince = httpDate(getHeaderValue(request.headers, "if-modified-since") ?? "");
    const isUnchanged = cachedSince !== null && changedAt <= cachedSince;
    const passResponse: HttpResponse = isUnchanged
      ? { status: 304, headers: { "last-modified": formatHttpTime(changedAt) }, body: null }
      : await this.sendPass(issuedCard, "private, no-cache", request);
    const hasPass = isUnchanged || passResponse.status === 200;
    if (hasPass && request.method === "GET") await this.recordMessageFetched(issuedCard, !isUnchanged);
    return passResponse;
  }

  /**
   * Records that a phone has received a card's message. This happens before the response, because the phone wouldn't ask again if
   * recording failed later. Further requests write nothing.
   * @param isChange true if the phone gets the pass now, and therefore announces the message, unless something changed after it.
   */
  private async recordMessageFetched(
    { organizationId, card, message, isMessageNewest }: IssuedCard,
    isChange: boolean,
  ): Promise<void> {
    const { messageDeliveryId } = card;
    if (message === null || messageDeliveryId === null) return;
    const isSilent = !(isChange && isMessageNewest);
    await this.messages.walletAccepted(organizationId, messageDeliveryId, "apple", isSilent);
  }

  /**
   * Responds with the current pass. HEAD requests don't sign one. While the certificate can't sign, the response is an error,
   * because phones would refuse the pass.
   */
  private async sendPass(
    issuedCard: IssuedCard,
    cacheControl: string,
    { method }: HttpRequest,
  ): Promise<HttpResponse> {
    if (!this.passes.canSign())
      return walletErrorResponse("storage_unavailable", { "retry-after": UNSIGNED_RETRY_SECONDS });
    const body = method === "HEAD" ? null : await this.passes.getOrSign(issuedCard);
    return { status: 200, headers: buildPassHeaders(issuedCard.card.changedAt, cacheControl), body };
  }

  private async changeRegistration(
    request: HttpRequest,
    deviceId: string,
    passId: string,
  ): Promise<HttpResponse> {
    const token = readToken(request);
    const organizationId = token === null ? null : await this.backend.findOwner(passId, token);
    if (organizationId === null) return unauthorizedResponse();
    if (!deviceIdPattern.test(deviceId)) return walletErrorResponse("resource_not_found");
    const wait = this.registrations.countCall(passId);
    if (wait !== null) return tooManyRequestsResponse(wait);
    const key = { passId, platform: "apple", deviceId } as const;
    if (request.method === "DELETE") {
      await this.backend.devices.unregister(organizationId, key);
      // Phones treat any status except 200 as a failure.
      return walletResponse(200);
    }
    const body = await readBody(request, MAX_REGISTRATION_BYTES);
    if ("refused" in body) return body.refused;
    const pushToken = parsePushToken(body.value);
    if (pushToken === null) return walletErrorResponse("malformed_request");
    const registration = await this.backend.devices.register(organizationId, { ...key, pushToken });
    if (registration === null) return unauthorizedResponse();
    if (registration === "full") return tooManyRequestsResponse(3_600);
    return walletResponse(registration === "new" ? 201 : 200);
  }

  /** Lists the passes that changed on a device. Phones send no token here, and must not get a 401. */
  private async listUpdated(request: HttpRequest, deviceId: string): Promise<HttpResponse> {
    const tag = new URLSearchParams(splitUrl(request.url).query ?? "").get("passesUpdatedSince");
    const updated = await this.backend.updatedPasses("apple", deviceId, tag);
    if (updated === null) return walletResponse(204);
    return walletResponse(200, { serialNumbers: updated.passIds, lastUpdated: updated.tag });
  }

  /** Passes on log lines from phones. They are limited, and tokens are removed, because anyone may post here. */
  private async log(request: HttpRequest): Promise<HttpResponse> {
    const body = await readBody(request, MAX_LOG_BYTES);
    if ("refused" in body) return body.refused;
    if (this.logs.countCall("") !== null) return walletResponse(200);
    const { logs } = toFields(body.value);
    for (const line of Array.isArray(logs) ? logs.slice(0, MAX_LOG_LINES) : []) {
      if (typeof line === "string") this.onDeviceLog(redactSecrets(line));
    }
    return walletResponse(200);
  }
}

function redactSecrets(line: string): string {
  return line
    .slice(0, MAX_LOG_LENGTH)
    .toWellFormed()
    .replaceAll(secretPattern, "…")
    .replaceAll(controlCharacters, " ");
}

/** Returns the pass's token from the request, or `null` if the phone sent none. */
function readToken({ headers }: HttpRequest): string | null {
  const credentials = parseAuthorization(headers);
  return credentials?.scheme === "applepass" ? credentials.token : null;
}

function buildPassHeaders(changedAt: number, cacheControl: string) {
  return {
    "content-type": "application/vnd.apple.pkpass",
    "content-disposition": 'inline; filename="card.pkpass"',
    "last-modified": formatHttpTime(changedAt),
    "cache-control": cacheControl,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function formatHttpTime(time: number): string {
  return new Date(time).toUTCString();
}

function parsePushToken(body: unknown): string | null {
  const { pushToken } = toFields(body);
  return typeof pushToken === "string" && pushTokenPattern.test(pushToken) ? pushToken : null;
}
