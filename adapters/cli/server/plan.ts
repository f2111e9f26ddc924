import type { Tracer } from "../../../src/tracing.js";
import type { MailOptions } from "../../mail/index.js";
import type { WalletsOptions } from "../../wallets/index.js";
import { DemoServer } from "./demo-server.js";
import { readOAuthKey, secretKeysIn } from "./keys.js";
import { buildPublicUrl, passkeyOrigin } from "./listen.js";
import { readServedMail } from "./mail.js";
import type { ServerSettings } from "./settings.js";
import { walletOptions } from "./wallets.js";

/** The server that the settings and the environment ask for. */
export interface ServerPlan {
  /** The URL by which browsers reach the server; `null` as long as its port is to be found. */
  readonly publicUrl: string | null;
  /** The beginning of QR codes; `undefined` if it isn't set and depends on the port. */
  readonly shortLinkBase: string | undefined;
  /** The secret that processes share for signing in; `undefined` where each has its own. */
  readonly oauthKey: string | undefined;
  readonly secretKeys: readonly string[];
  readonly wallets: WalletsOptions | null;
  readonly mail: MailOptions | null;
  /** The origin at which people sign in by passkeys; `null` for no passkeys. */
  readonly passkeys: string | null;
  readonly demo: DemoServer | null;
  readonly tracer: Tracer | null;
}

/**
 * Works out the requested setup before anything is opened.
 * @throws {CommandError} if a setting lacks another, or a file can't be read.
 * @throws {PackageMissing} if a setting needs a missing package.
 */
export async function serverPlan(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<ServerPlan> {
  const publicUrl = buildPublicUrl(settings.publicUrl, settings);
  const shortLinkBase = settings.shortLinkBase ?? (publicUrl === null ? undefined : `${publicUrl}/c`);
  const oauthKey = readOAuthKey(environment);
  const secretKeys = secretKeysIn(environment);
  const wallets = walletOptions(settings);
  const passkeys = passkeyOrigin(settings);
  const mail = readServedMail(settings);
  const demo = settings.demo ? new DemoServer(settings, settings.mail && mail === null) : null;
  const tracer = settings.openTelemetry ? await openTelemetryTracer() : null;
  return { publicUrl, shortLinkBase, oauthKey, secretKeys, wallets, mail, passkeys, demo, tracer };
}

async function openTelemetryTracer(): Promise<Tracer> {
  const { openTelemetry } = await import("../../observability/index.js");
  return openTelemetry();
}
