import type { KeyObject } from "node:crypto";
import { type Clock, type ErrorListener, isLoyaltyError } from "../../src/index.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { errorAnswer } from "../http/error-answer.js";
import type { HttpExtension, HttpRequest, HttpResponse } from "../http/index.js";
import { partsOf } from "../http/request/path.js";
import { PollLoop } from "../jobs/poll-loop.js";
import { backgroundAfter } from "../jobs/timers.js";
import { absentWallet } from "./absent-wallet.js";
import { refusal } from "./answers.js";
import { BoundedDeviceLog, type DeviceLog } from "./apple/device-log.js";
import { appleFindings, expiringCertificates } from "./apple/doctor.js";
import { type AppleIdentity, type AppleOptions, appleIdentity } from "./apple/identity.js";
import { PushClient } from "./apple/push-client.js";
import { PushDelivery } from "./apple/push-delivery.js";
import { SignedPasses } from "./apple/signed-passes.js";
import { AppleWebService } from "./apple/web-service.js";
import type { Deliverer } from "./deliverer.js";
import { drawingFindings, publicUrlFindings } from "./doctor.js";
import { type Drawer, type Drawings, rememberedDrawings, rememberedPictures } from "./drawing.js";
import type { Finding } from "./finding.js";
import { ApiClient } from "./google/api-client.js";
import { googleFindings } from "./google/doctor.js";
import { googleHalf } from "./google/half.js";
import { type GoogleIdentity, type GoogleOptions, googleIdentity } from "./google/identity.js";
import { type HeroOptions, HeroPictures } from "./hero-pictures.js";
import { pictureDecoder } from "./picture-decoder.js";
import { pictureAnswer } from "./pictures-endpoint.js";
import { isPublic } from "./public-paths.js";
import { RegistrationLimit } from "./registration-limit.js";
import { DRAWING_VERSION, installedDrawer } from "./stamp-drawing/stamp-drawer.js";
import { WalletWorker } from "./worker.js";

export interface WalletsOptions {
  /** Where phones and wallets reach the server: https, without a slash at its end. */
  readonly publicUrl: string;
  readonly apple?: AppleOptions;
  readonly google?: GoogleOptions;
  /**
   * Draws the stamps of cards. Unless given, they are drawn when `@resvg/resvg-wasm` is installed; `null` has them in numbers
   * alone.
   */
  readonly drawer?: Drawer | null;
  /** Whether this process tells wallets of changes; true unless given. */
  readonly delivers?: boolean;
  /** How long a wallet is not told of a change, in case that more follow, in milliseconds; 1,000 unless given. */
  readonly gatherMs?: number;
  /** How often to look for what other processes did and what is due again, in milliseconds; 1,000 unless given. */
  readonly pollMs?: number;
  /** Told what the doctor finds, at the start and once a day: certificates expire. */
  readonly onFinding?: (finding: Finding) => void;
  /**
   * The organization that gets the events of certificates that expire, for a host whose organizations are customers of its
   * own and can't renew what is the host's; every organization with cards in wallets unless given.
   */
  readonly operator?: string;
  /** Told what phones complain of, a line at a time, without secrets. */
  readonly onDeviceLog?: DeviceLog;
  /** Told what fails beside any caller's path; the service's `onError` unless given. */
  readonly onError?: ErrorListener;
}

/** The passes of a service in the wallets of phones. */
export interface Wallets {
  /** To be given to `createHttpApi` as one of its `extensions`. */
  readonly http: HttpExtension;
  /** Says what is wrong with how wallets are set up; nothing when all is well. */
  check(): Promise<readonly Finding[]>;
  /** Does at once what there is to do, for tests and hosts that have workers of their own. */
  step(): Promise<void>;
  /**
   * Asks Google of each card that it has whether somebody has it there, two cards a second, as is done once a day where
   * this process tells wallets of changes: callbacks may get lost.
   */
  reconcile(): Promise<void>;
  /** Tells nobody any more. Resolves when what is under way has ended: close the service then. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const ROOT = "/wallets";

/**
 * Puts the passes of a service into wallets. Any number of processes may do so on one storage.
 * @throws {TypeError} when certificates, a key or the service account can't be read, the public URL is none that phones
 *   would take, the service has wallets already, or it has no outbox.
 */
export function createWallets(loyalty: LoyaltyService, options: WalletsOptions): Wallets {
  const { publicUrl, delivers = true, gatherMs = 1_000, pollMs } = options;
  const [wrongUrl] = publicUrlFindings(publicUrl).filter(({ severity }) => severity === "error");
  if (wrongUrl !== undefined) throw new TypeError(wrongUrl.message);
  const identities = identitiesIn(options);
  const identity = identities.apple;
  const desk = loyalty.walletDesk(gatherMs);
  const onError = options.onError ?? desk.onError;
  const pictures = rememberedPictures((hash) => desk.picture(hash));
  const drawing = options.drawer === undefined ? installedDrawer() : options.drawer;
  const drawings = drawing && rememberedDrawings(drawing, onError);
  const heroes = heroesOf(publicUrl, identities.google?.key, {
    ...{ drawings, pictures },
    organizationOf: (templateId) => loyalty.organizationOfTemplate(templateId),
  });
  const registrations = new RegistrationLimit(desk.clock);
  const deliverers: Deliverer[] = [];
  let apple: AppleWebService | null = null;
  if (options.apple !== undefined && identity !== null) {
    const press = { identity, webServiceUrl: `${publicUrl}${ROOT}/apple`, pictures, drawings };
    const log = new BoundedDeviceLog(options.onDeviceLog ?? (() => {}), desk.clock);
    apple = new AppleWebService(desk, new SignedPasses(press, desk.clock), log, registrations);
    const client = new PushClient(options.apple, identity.passTypeId);
    deliverers.push(
      new PushDelivery(
        desk,
        (token) => client.push(token),
        onError,
        () => client.close(),
      ),
    );
  }

  const google =
    identities.google &&
    googleHalf(desk, identities.google, `${publicUrl}${ROOT}`, heroes, registrations, onError);
  if (google !== null) deliverers.push(google.deliverer);
  for (const platform of ["apple", "google"] as const) {
    if (deliverers.every((each) => each.platform !== platform)) {
      deliverers.push(absentWallet(platform, desk.clock));
    }
  }

  const decoder = pictureDecoder();
  const forgetDecoder = decoder && desk.decodePicturesBy(decoder);
  const unlink = desk.linkBy(({ passId, linkToken }) => ({
    apple: apple && `${publicUrl}${ROOT}/apple/passes/${passId}/${linkToken}.pkpass`,
    google: google && `${publicUrl}${ROOT}/google/passes/${passId}/${linkToken}`,
  }));

  async function answerTo(request: HttpRequest): Promise<HttpResponse> {
    const parts = decoded(partsOf(request.url).path.slice(ROOT.length + 1));
    if (parts === null) return refusal("malformed_request");
    if (!isPublic(parts)) return refusal("resource_not_found");
    const [place, ...below] = parts;
    const [hash = ""] = below;
    if (place === "images" && below.length === 1) return pictureAnswer(hash, request, pictures);
    if (place === "heroes" && heroes !== null) return heroes.answer(below, request);
    if (place === "apple" && apple !== null) return apple.answer(below, request);
    if (place === "google" && google !== null) return google.webService.answer(below, request);
    return refusal("resource_not_found");
  }

  const check = async () => [
    ...offlineFindings(publicUrl, identity, desk.clock()),
    ...((await google?.check()) ?? []),
    ...(options.drawer === undefined ? await drawingFindings(drawing) : []),
  ];
  const tellFindings = async () => {
    for (const finding of await check()) options.onFinding?.(finding);
    const expiring = identity === null ? [] : expiringCertificates(identity, desk.clock());
    for (const certificate of expiring) await desk.tellOfExpiry(certificate, options.operator ?? null);
  };
  const worker = new WalletWorker(desk, deliverers, pollMs);
  if (delivers) {
    worker.start();
    google?.reconciliation.start();
  }
  const daily = new PollLoop(() => tellFindings().catch(onError), { pollMs: DAY_MS, after: backgroundAfter });
  daily.start();

  return {
    http: {
      paths: [`${ROOT}/*`],
      waiting: [`${ROOT}/google/passes/*`, `${ROOT}/google/callback`],
      async handle(request, onFailure) {
        try {
          return await answerTo(request);
        } catch (error) {
          if (isLoyaltyError(error)) return errorAnswer(error);
          onFailure(error);
          return refusal("internal_error");
        }
      },
    },
    check,
    async step() {
      await worker.step();
    },
    reconcile: async () => google?.reconciliation.lookThrough(),
    async close() {
      unlink();
      forgetDecoder?.();
      await Promise.all([worker.close(), google?.reconciliation.close(), daily.stop()]);
    },
  };
}

/**
 * Says what is wrong with how wallets would be set up, without a service. Google is asked.
 * @param clock gives the present, in milliseconds since the Unix epoch.
 * @throws {TypeError} when certificates, a key or the service account can't be read.
 */
export async function checkWallets(
  options: Pick<WalletsOptions, "publicUrl" | "apple" | "google">,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { apple, google } = identitiesIn(options);
  const findings = [
    ...offlineFindings(options.publicUrl, apple, clock()),
    ...(await drawingFindings(installedDrawer())),
  ];
  if (google === null) return findings;
  const client = new ApiClient(google, clock);
  try {
    return [...findings, ...(await googleFindings(client.call, google.issuerId))];
  } finally {
    client.close();
  }
}

interface Identities {
  readonly apple: AppleIdentity | null;
  readonly google: GoogleIdentity | null;
}

function identitiesIn({ apple, google }: Pick<WalletsOptions, "apple" | "google">): Identities {
  return {
    apple: apple === undefined ? null : appleIdentity(apple),
    google: google === undefined ? null : googleIdentity(google),
  };
}

function offlineFindings(publicUrl: string, apple: AppleIdentity | null, now: number): Finding[] {
  return [...publicUrlFindings(publicUrl), ...(apple === null ? [] : appleFindings(apple, now))];
}

/** `null` when nobody draws, or no wallet fetches pictures. */
function heroesOf(
  publicUrl: string,
  key: KeyObject | undefined,
  {
    drawings,
    ...options
  }: Pick<HeroOptions, "pictures" | "organizationOf"> & { readonly drawings: Drawings | null },
): HeroPictures | null {
  if (key === undefined || drawings === null) return null;
  const root = `${publicUrl}${ROOT}/heroes`;
  return new HeroPictures({ ...options, ...{ root, key, drawings }, version: DRAWING_VERSION });
}

/** The segments of a path; `null` when one is malformed. */
function decoded(path: string): string[] | null {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}
