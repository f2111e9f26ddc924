import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { headerValue } from "../../http/request/headers.js";
import { partsOf } from "../../http/request/path.js";
import { answer, authorizationOf, readBody, refusal, tooOften } from "../answers.js";
import type { RegistrationLimit } from "../registration-limit.js";
import type { BoundedDeviceLog } from "./device-log.js";
import type { SignedPasses } from "./signed-passes.js";

const MAX_REGISTRATION_BYTES = 4_096;
const MAX_LOG_BYTES = 65_536;

/** When to come again while the certificate can't sign. */
const UNSIGNED_SECONDS = "3600";

const deviceForm = /^[\w-]{1,128}$/;
const pushTokenForm = /^[\w-]{1,256}$/;

const unauthorized = () => refusal("unauthorized", { "www-authenticate": "ApplePass" });

/** What Apple's Wallet asks of the server of a pass, and the link by which a phone gets one. */
export class AppleWebService {
  constructor(
    private readonly desk: WalletDesk,
    private readonly passes: SignedPasses,
    private readonly log: BoundedDeviceLog,
    private readonly registrations: RegistrationLimit,
  ) {}

  /** @param parts the path below `/wallets/apple`, decoded. */
  async answer(parts: readonly string[], request: HttpRequest): Promise<HttpResponse> {
    const [first, second, third, fourth, fifth, sixth, ...others] = parts;
    if (others.length > 0) return refusal("resource_not_found");
    if (first === "passes" && second !== undefined && third !== undefined && fourth === undefined) {
      return this.link(second, third, request);
    }
    if (first !== "v1") return refusal("resource_not_found");
    if (second === "log" && third === undefined) return this.logged(request);
    if (second === "passes" && third !== undefined && fourth !== undefined && fifth === undefined) {
      return this.isOurs(third) ? this.newest(fourth, request) : refusal("resource_not_found");
    }
    const isRegistration = second === "devices" && third !== undefined && fourth === "registrations";
    if (!isRegistration || fifth === undefined || !this.isOurs(fifth)) return refusal("resource_not_found");
    if (sixth === undefined) return this.updated(third, request);
    return this.registration(third, sixth, request);
  }

  private isOurs(passTypeId: string): boolean {
    return passTypeId === this.passes.passTypeId;
  }

  /** The link of a pass: served inline, for a phone to open. */
  private async link(passId: string, file: string, request: HttpRequest): Promise<HttpResponse> {
    if (!isRead(request)) return notAllowed("GET, HEAD");
    const token = file.endsWith(".pkpass") ? file.slice(0, -".pkpass".length) : "";
    const issued = await this.desk.open(passId, "linkToken", token);
    if (issued === null || issued.card.revokedAt !== null) return refusal("resource_not_found");
    return this.pass(issued, "private, no-store", request);
  }

  private async newest(passId: string, request: HttpRequest): Promise<HttpResponse> {
    if (!isRead(request)) return notAllowed("GET, HEAD");
    const token = authorizationOf(request, "ApplePass");
    const issued = token === null ? null : await this.desk.open(passId, "authenticationToken", token);
    if (issued === null) return unauthorized();
    const { changedAt, revokedAt } = issued.card;
    if (revokedAt !== null) await this.desk.revoked.asked(issued.organizationId, passId);
    const known = Date.parse(headerValue(request.headers, "if-modified-since") ?? "");
    if (changedAt <= known)
      return { status: 304, headers: { "last-modified": httpTime(changedAt) }, body: null };
    return this.pass(issued, "private, no-cache", request);
  }

  /**
   * A pass in its newest state. Who only asks whether it is there has none signed. While the certificate can't sign, there is
   * none: phones would refuse it.
   */
  private async pass(
    issued: IssuedCard,
    cacheControl: string,
    { method }: HttpRequest,
  ): Promise<HttpResponse> {
    if (!this.passes.canSign()) return refusal("storage_unavailable", { "retry-after": UNSIGNED_SECONDS });
    const body = method === "HEAD" ? null : await this.passes.of(issued);
    return { status: 200, headers: passHeaders(issued.card.changedAt, cacheControl), body };
  }

  private async registration(deviceId: string, passId: string, request: HttpRequest): Promise<HttpResponse> {
    const { method } = request;
    if (method !== "POST" && method !== "DELETE") return notAllowed("POST, DELETE");
    const token = authorizationOf(request, "ApplePass");
    const organizationId = token === null ? null : await this.desk.ownerFor(passId, token);
    if (organizationId === null) return unauthorized();
    if (!deviceForm.test(deviceId)) return refusal("resource_not_found");
    const wait = this.registrations.secondsToWait(passId);
    if (wait !== null) return tooOften(wait);
    const key = { passId, platform: "apple", deviceId } as const;
    if (method === "DELETE") {
      await this.desk.unregister(organizationId, key);
      // Phones take anything but 200 for a failure.
      return answer(200);
    }
    const read = await readBody(request, MAX_REGISTRATION_BYTES);
    if ("refused" in read) return read.refused;
    const pushToken = pushTokenIn(read.value);
    if (pushToken === null) return refusal("malformed_request");
    const registered = await this.desk.register(organizationId, { ...key, pushToken });
    if (registered === null) return unauthorized();
    if (registered === "full") return tooOften(3_600);
    return answer(registered === "new" ? 201 : 200);
  }

  /** Phones ask without their tokens; they must not get 401. */
  private async updated(deviceId: string, request: HttpRequest): Promise<HttpResponse> {
    if (!isRead(request)) return notAllowed("GET, HEAD");
    const tag = new URLSearchParams(partsOf(request.url).query ?? "").get("passesUpdatedSince");
    const updated = await this.desk.updatedPasses("apple", deviceId, tag);
    if (updated === null) return answer(204);
    return answer(200, { serialNumbers: updated.passIds, lastUpdated: updated.tag });
  }

  private async logged(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== "POST") return notAllowed("POST");
    const read = await readBody(request, MAX_LOG_BYTES);
    if ("refused" in read) return read.refused;
    this.log.pass(read.value);
    return answer(200);
  }
}

function passHeaders(changedAt: number, cacheControl: string) {
  return {
    "content-type": "application/vnd.apple.pkpass",
    "content-disposition": 'inline; filename="card.pkpass"',
    "last-modified": httpTime(changedAt),
    "cache-control": cacheControl,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function httpTime(time: number): string {
  return new Date(time).toUTCString();
}

function pushTokenIn(body: unknown): string | null {
  const token = typeof body === "object" && body !== null && "pushToken" in body ? body.pushToken : null;
  return typeof token === "string" && pushTokenForm.test(token) ? token : null;
}

function isRead({ method }: HttpRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function notAllowed(allow: string): HttpResponse {
  return refusal("method_not_allowed", { allow });
}
