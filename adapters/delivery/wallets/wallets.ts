import { assertSameVersion } from "../../../src/base/copies.js";
import { isLoyaltyError } from "../../../src/base/errors.js";
import { type Clock, DAY_MS } from "../../../src/base/values/clock.js";
import { serviceInternals } from "../../../src/internals.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { WalletPlatform } from "../../../src/storage/wallets.js";
import type { WalletSetup } from "../../../src/wallets/schema.js";
import { errorResponse } from "../../http/error-response.js";
import type { HttpExtension } from "../../http/index.js";
import type { SetupFinding } from "../../setup/finding.js";
import { getOrCreateMessageWorker } from "../jobs/organization-workers.js";
import { backgroundTimer, PollLoop } from "../jobs/timers.js";
import { createAppleWallet } from "./apple/apple-wallet.js";
import {
  findExpiringCertificates,
  findExpiryProblems,
  findMismatches,
  listCertificates,
} from "./apple/certificate-checks.js";
import { type AppleIdentity, type AppleOptions, loadAppleIdentity } from "./apple/identity.js";
import type { LogDeviceLine } from "./apple/web-service.js";
import { CallLimit } from "./call-limit.js";
import { createDrawingCache, type StampRenderer } from "./drawing.js";
import { routeEndpoints } from "./endpoints.js";
import { ApiClient } from "./google/api-client.js";
import { checkIssuer, createGoogleWallet } from "./google/google-wallet.js";
import { type GoogleIdentity, type GoogleOptions, loadGoogleIdentity } from "./google/identity.js";
import { createPictureCache } from "./picture-cache.js";
import { pictureDecoder } from "./picture-decoder.js";
import { pictureResponse, walletErrorResponse } from "./responses.js";
import { findDrawingProblems, findUrlProblems } from "./setup.js";
import { createStampDrawer } from "./stamp-drawing/stamp-drawer.js";
import type { Deliverer, WalletContext } from "./wallet-platform.js";
import { WalletWorker } from "./worker.js";

export interface WalletsOptions {
  /** The https URL that phones and wallet services use to reach the server, without a trailing slash. */
  readonly publicUrl: string;
  /** Settings for Apple Wallet. If omitted, cards have no link to Apple Wallet. */
  readonly apple?: AppleOptions;
  /** Settings for Google Wallet. If omitted, cards have no link to Google Wallet. */
  readonly google?: GoogleOptions;
  /**
   * Renders a card's stamps as a picture. Set this to `null` to show numbers instead. Default: the built-in renderer, if
   * `@resvg/resvg-wasm` is installed.
   */
  readonly stampRenderer?: StampRenderer | null;
  /** Whether this process delivers changes to wallets. Set this to false if other processes deliver them. Default: true. */
  readonly deliver?: boolean;
  /** Time to wait for further changes to a card before delivering it, in milliseconds. Default: 1,000. */
  readonly debounceMs?: number;
  /** Interval between polls, in milliseconds. Polling picks up due retries and work from other processes. Default: 1,000. */
  readonly pollMs?: number;
  /**
   * Receives the findings of the setup check. The check runs at startup and then daily, because certificates can expire while the
   * process is running.
   */
  readonly onFinding?: (finding: SetupFinding) => void;
  /**
   * The organization that receives events about expiring certificates. Set this if the organizations are your customers and can't
   * renew the certificates themselves. Default: every organization that has cards in wallets.
   */
  readonly operator?: string;
  /** Receives the log lines that phones send to Apple's web service, with secrets removed. */
  readonly onDeviceLog?: LogDeviceLine;
  /** Called with errors from background work. Default: the service's `onError`. */
  readonly onError?: ErrorListener;
}

/** A running wallet setup that keeps the service's passes up to date on customers' phones. */
export interface Wallets {
  /** The HTTP endpoints for wallets. Pass them to `createHttpApi` in `extensions`. */
  readonly http: HttpExtension;
  /** Checks the wallet setup. Resolves to the problems found, if any. */
  check(): Promise<readonly SetupFinding[]>;
  /** Runs all work that is due, then resolves. Intended for tests and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /**
   * Checks with Google whether each card is still in a customer's wallet, because callbacks can get lost. Checks at most two cards
   * per second. Processes that deliver changes do this automatically once a day.
   */
  reconcile(): Promise<void>;
  /** Stops delivering changes. Resolves when the work in progress has finished. Closing the service does this, too. */
  close(): Promise<void>;
}

const POLL_MS = 1_000;

/** Limits for registering and unregistering devices per pass, and the maximum number of passes to count. */
const MAX_REGISTRATIONS = { perMinute: 100, perDay: 1_000 };
const MAX_PASSES = 100_000;

/**
 * Sets up wallets for a service. Any number of processes can set up wallets on the same storage.
 * @throws {TypeError} if a certificate, a key, or the service account can't be read, if phones would reject the public URL, if
 *   wallets are already set up for this service, or if the service has no outbox.
 * @example
 * import { readFileSync } from "node:fs";
 * import { createWallets } from "loyalty-kit/wallets";
 *
 * const [certificate, key, wwdr] = ["pass.pem", "pass.key", "wwdr.pem"].map((file) => readFileSync(file, "utf8"));
 * const apple = { certificate: certificate ?? "", key: key ?? "", wwdr: wwdr ?? "" };
 * const wallets = createWallets(loyalty, { publicUrl: "https://cafe.example", apple });
 */
export function createWallets(loyalty: LoyaltyService, options: WalletsOptions): Wallets {
  assertSameVersion(loyalty, "LoyaltyService");
  const { publicUrl, deliver = true, debounceMs = 1_000, pollMs } = options;
  const [invalidUrl] = findUrlProblems(publicUrl).filter(({ severity }) => severity === "error");
  if (invalidUrl !== undefined) throw new TypeError(invalidUrl.message);
  const identities = readIdentities(options);
  const identity = identities.apple;
  const internals = serviceInternals(loyalty);
  const backend = internals.createWalletBackend(debounceMs);
  const onError = options.onError ?? backend.onError;
  const pictures = createPictureCache((hash) => backend.picture(hash));
  const renderer = options.stampRenderer === undefined ? createStampDrawer() : options.stampRenderer;
  const drawings = renderer && createDrawingCache(renderer, onError);
  const registrations = new CallLimit(backend.clock, MAX_REGISTRATIONS, MAX_PASSES);
  const base = `${publicUrl}/wallets`;
  const context: WalletContext = {
    ...{ backend, base, pictures, drawings, registrations, onError },
    messages: internals.backends.messages,
  };
  const apple =
    options.apple &&
    identity &&
    createAppleWallet(context, options.apple, identity, options.onDeviceLog ?? (() => {}));
  const google =
    identities.google &&
    createGoogleWallet(context, identities.google, (templateId) =>
      internals.findOrganizationByTemplate(templateId),
    );
  const worker = new WalletWorker(
    backend,
    [
      apple?.deliverer ?? createMissingWallet("apple", backend.clock),
      google?.deliverer ?? createMissingWallet("google", backend.clock),
    ],
    pollMs,
  );

  const decoder = pictureDecoder();
  const detachDecoder = decoder && backend.attachDecoder(decoder);
  let findings: readonly SetupFinding[] = findOfflineProblems(publicUrl, identity, backend.clock());
  const describe = (organizationId: string) =>
    (options.operator ?? organizationId) === organizationId ? describeSetup(identities, findings) : null;
  const isSetUp = identities.apple !== null || identities.google !== null;
  const detachLinker = backend.attachLinker(
    isSetUp
      ? ({ passId, linkToken }) => ({
          apple: apple?.buildLink(passId, linkToken) ?? null,
          google: google?.buildLink(passId, linkToken) ?? null,
        })
      : null,
    describe,
    identities.google?.callsPerSecond,
  );

  const servePicture = async (hash: string) => {
    const picture = /^[0-9a-f]{64}$/.test(hash) ? await pictures(hash) : null;
    if (picture === null) return walletErrorResponse("resource_not_found");
    return pictureResponse(picture.bytes, picture.type, hash);
  };
  const handleRequest = routeEndpoints(
    {
      "/wallets/images/{hash}": (_, hash) => servePicture(hash),
      ...apple?.endpoints,
      ...google?.endpoints,
    },
    { passTypeId: identity?.passTypeId ?? "" },
  );

  const check = async () => {
    findings = [
      ...findOfflineProblems(publicUrl, identity, backend.clock()),
      ...((await google?.check()) ?? []),
      // Drawings appear only in wallets.
      ...(isSetUp && options.stampRenderer === undefined ? await findDrawingProblems(renderer) : []),
    ];
    return findings;
  };
  const reportFindings = async () => {
    for (const finding of await check()) options.onFinding?.(finding);
    const expiring = identity === null ? [] : findExpiringCertificates(identity, backend.clock());
    for (const certificate of expiring) await backend.reportExpiry(certificate, options.operator ?? null);
  };
  const messages = getOrCreateMessageWorker(loyalty, pollMs ?? POLL_MS);
  if (deliver) {
    messages.start();
    worker.start();
    google?.reconciliation.start();
  }
  const dailyCheck = new PollLoop(() => reportFindings().catch(onError), {
    pollMs: DAY_MS,
    after: backgroundTimer,
  });
  dailyCheck.start();
  const closeDelivery = internals.workers.add(async () => {
    await Promise.all([worker.close(), google?.reconciliation.close(), dailyCheck.stop()]);
  });

  return {
    http: {
      paths: ["/wallets/*"],
      waiting: ["/wallets/google/passes/*", "/wallets/google/callback"],
      async handle(request, onFailure) {
        try {
          return await handleRequest(request);
        } catch (error) {
          if (isLoyaltyError(error)) return errorResponse(error);
          onFailure(error);
          return walletErrorResponse("internal_error");
        }
      },
    },
    check,
    async runOnce() {
      await messages.runOnce();
      await worker.runOnce();
    },
    reconcile: async () => google?.reconciliation.reconcileAll(),
    async close() {
      detachLinker();
      detachDecoder?.();
      await closeDelivery();
    },
  };
}

/**
 * Checks a wallet setup without requiring a `LoyaltyService`. If Google is set up, this makes a request to Google's API.
 * @param clock a function that returns the current time, in milliseconds since the Unix epoch.
 * @returns the problems found, if any.
 * @throws {TypeError} if a certificate, a key, or the service account can't be read.
 * @example
 * import { checkWallets } from "loyalty-kit/wallets";
 *
 * const findings = await checkWallets({ publicUrl: "https://cafe.example" }, Date.now);
 * for (const { severity, message } of findings) console.log(severity, message);
 */
export async function checkWallets(
  options: Pick<WalletsOptions, "publicUrl" | "apple" | "google">,
  clock: Clock,
): Promise<readonly SetupFinding[]> {
  const { apple, google } = readIdentities(options);
  const findings = [
    ...findOfflineProblems(options.publicUrl, apple, clock()),
    ...(await findDrawingProblems(createStampDrawer())),
  ];
  if (google === null) return findings;
  const client = new ApiClient(google, clock);
  try {
    return [...findings, ...(await checkIssuer(client.call, google.issuerId))];
  } finally {
    client.close();
  }
}

interface Identities {
  readonly apple: AppleIdentity | null;
  readonly google: GoogleIdentity | null;
}

function readIdentities({ apple, google }: Pick<WalletsOptions, "apple" | "google">): Identities {
  return {
    apple: apple === undefined ? null : loadAppleIdentity(apple),
    google: google === undefined ? null : loadGoogleIdentity(google),
  };
}

/**
 * Describes the setup for the shop.
 * @param findings the findings of the last check.
 */
function describeSetup({ apple, google }: Identities, findings: readonly SetupFinding[]): WalletSetup {
  return {
    apple: apple?.passTypeId ?? null,
    google: google?.issuerId ?? null,
    certificates: apple === null ? [] : listCertificates(apple),
    problems: findings.map(({ message }) => message),
  };
}

function findOfflineProblems(publicUrl: string, apple: AppleIdentity | null, now: number): SetupFinding[] {
  const appleFindings = apple === null ? [] : [...findMismatches(apple), ...findExpiryProblems(apple, now)];
  return [...findUrlProblems(publicUrl), ...appleFindings];
}

const POSTPONEMENT_MS = 3_600_000;

/**
 * Creates a stand-in for a wallet platform that the host hasn't set up or has removed. It postpones pending deliveries by an hour
 * so that they don't hold up other deliveries.
 */
export function createMissingWallet(platform: WalletPlatform, clock: Clock): Deliverer {
  return {
    platform,
    deliver: (jobs) =>
      jobs.map(async ({ delivery: { passId, revision }, devices }) => ({
        ...{ passId, revision },
        deviceIds: [],
        // Apple passes that are on no phone need no push. Google may have the card anyway.
        nextAttemptAt: platform === "apple" && devices.length === 0 ? null : clock() + POSTPONEMENT_MS,
      })),
    close() {},
  };
}
