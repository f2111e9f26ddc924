import type { Tracer } from "../../../../src/base/tracing.js";
import type { MailOptions } from "../../../delivery/mail/index.js";
import type { WalletsOptions } from "../../../delivery/wallets/index.js";
import { DemoServer } from "./demo-server.js";
import { readOAuthKey, secretKeysIn } from "./keys.js";
import { buildPublicUrl, passkeyOrigin } from "./listen.js";
import { readServedMail } from "./mail.js";
import type { ServerSettings } from "./settings.js";
import { walletOptions } from "./wallets.js";

/** A server's setup, derived from its settings and environment. */
export interface ServerPlan {
  /** URL that browsers use to reach the server, or `null` until the server's port is known. */
  readonly publicUrl: string | null;
  /** URL prefix for QR codes, or `undefined` if it depends on a port that isn't known yet. */
  readonly shortLinkBase: string | undefined;
  /** Sign-in secret that all processes share, or `undefined` if each process generates its own. */
  readonly oauthKey: string | undefined;
  readonly secretKeys: readonly string[];
  readonly wallets: WalletsOptions | null;
  readonly mail: MailOptions | null;
  /** Origin where staff sign in with passkeys, or `null` if passkeys are disabled. */
  readonly passkeys: string | null;
  readonly demo: DemoServer | null;
  readonly tracer: Tracer | null;
}

/**
 * Derives a server's setup from its settings and environment. Doesn't open the database or any connection.
 * @throws {CommandError} if a required setting is missing, or if a file can't be read.
 * @throws {PackageMissing} if a setting requires a package that isn't installed.
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
  const { openTelemetry } = await import("../../../observability/index.js");
  return openTelemetry();
}
