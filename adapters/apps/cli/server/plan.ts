import { runStep } from "../../../../src/base/concurrency/step.js";
import type { Tracer } from "../../../../src/base/tracing.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { MailOptions } from "../../../delivery/mail/index.js";
import type { WalletsOptions } from "../../../delivery/wallets/index.js";
import type { HttpExtension } from "../../../http/index.js";
import type { ConsoleLink, ConsoleUser } from "../../console/index.js";
import { quoteForShell } from "../terminal/output.js";
import { createTokenForExistingDemo, DEMO_ORGANIZATION_ID, seedDemo } from "./demo.js";
import { DemoMail } from "./demo-mail.js";
import { FirstLook } from "./first-look.js";
import { readOAuthKey, readSecretKeys } from "./keys.js";
import { buildPublicUrl, getPasskeyOrigin } from "./listen.js";
import { readServerMailOptions } from "./mail.js";
import type { MailSettings, ServerSettings } from "./settings.js";
import { parseWalletOptions } from "./wallets.js";

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
export async function createServerPlan(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<ServerPlan> {
  const publicUrl = buildPublicUrl(settings.publicUrl, settings);
  const shortLinkBase = settings.shortLinkBase ?? (publicUrl === null ? undefined : `${publicUrl}/c`);
  const oauthKey = readOAuthKey(environment);
  const secretKeys = readSecretKeys(environment);
  const wallets = parseWalletOptions(settings);
  const passkeys = getPasskeyOrigin(settings);
  const mail = readServerMailOptions(settings);
  const demo = settings.demo ? new DemoServer(settings, settings.mail && mail === null) : null;
  const tracer = settings.openTelemetry ? await openTelemetryTracer() : null;
  return { publicUrl, shortLinkBase, oauthKey, secretKeys, wallets, mail, passkeys, demo, tracer };
}

async function openTelemetryTracer(): Promise<Tracer> {
  const { openTelemetry } = await import("../../../observability/index.js");
  return openTelemetry();
}

/** Adds demo features to a server: a guided tour, called the first look, and a mailbox if no mail server is set up. */
class DemoServer {
  readonly mail: DemoMail | null;
  /** Links to show in the console. The guided tour adds its link when it opens. */
  readonly links: readonly ConsoleLink[];
  readonly pages: readonly HttpExtension[];
  private readonly firstLook: FirstLook;
  private isStarted = false;

  /** @param hasMailbox whether to deliver emails to an in-memory mailbox. */
  constructor(settings: MailSettings, hasMailbox: boolean) {
    const links: ConsoleLink[] = [];
    this.links = links;
    this.firstLook = new FirstLook(links);
    this.mail = hasMailbox ? new DemoMail(settings, this.firstLook.isOwner) : null;
    if (this.mail !== null) links.push(this.mail.link);
    this.pages = [...(this.mail === null ? [] : [this.mail.http]), this.firstLook.http];
  }

  /** Returns whether a user owns the demo, and so runs its server. */
  isOwner(user: ConsoleUser): boolean {
    return this.isStarted && this.firstLook.isOwner(user);
  }

  /**
   * Prepares the demo and opens the guided tour. Fills an empty database with demo data, or reuses the demo from an earlier run. If
   * the database contains other data, changes nothing and doesn't open the tour.
   * @param server the database's name and the URL at which this machine can reach the server.
   * @returns instructions for trying out the demo.
   */
  async start(
    loyalty: LoyaltyService,
    storage: StorageAdapter,
    { database, url }: { readonly database: string; readonly url: string },
  ): Promise<string> {
    const mailbox = this.mail === null ? "" : formatMailboxInstructions(url, this.mail);
    const isEmpty = await runStep(storage.all.isEmpty());
    const token = isEmpty ? await seedDemo(loyalty, storage) : await createTokenForExistingDemo(loyalty);
    if (token === null) return formatTokenInstructions(database) + mailbox;
    this.isStarted = true;
    const [template] = await loyalty.organization(DEMO_ORGANIZATION_ID).templates.list();
    if (template === undefined) throw new Error("the demo has no card");
    const path = this.firstLook.open({ loyalty, token, templateId: template.id });
    const instructions = isEmpty ? formatDemoInstructions(url, token) : formatRepeatInstructions(url, token);
    return instructions + formatFirstLookInstructions(url, path) + mailbox;
  }
}

/** Returns instructions for trying out a new demo with its API token, including three commands to paste into a shell. */
function formatDemoInstructions(url: string, token: string): string {
  const authorizationOption = `-H 'Authorization: Bearer ${token}'`;
  const formatJsonOptions = (body: unknown) =>
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const ada = { email: "ada@example.com", name: "Ada Lovelace", externalId: "ada" };
  const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } };
  return `
The database was empty. It now contains the organization "${DEMO_ORGANIZATION_ID}" with data from a café's first month, the tag "vip", and this
API token, which has all scopes and is shown only once:

${token}

To sign in with it, open this page in your browser:

${url}/console

Or create a user, assign the tag, and query everyone who has it:

curl -X POST ${url}/v1/users ${authorizationOption} ${formatJsonOptions(ada)}

curl -X POST ${url}/v1/users/ada/tags/vip ${authorizationOption}

curl -X POST ${url}/v1/user-tags/query ${authorizationOption} ${formatJsonOptions(vips)}
`;
}

/** Returns instructions for signing in to the demo that an earlier run created. */
function formatRepeatInstructions(url: string, token: string): string {
  return `
The demo is just as you left it. This API token has all scopes, expires in one day, and is shown only once:

${token}

To sign in with it, open this page in your browser:

${url}/console
`;
}

/** Returns instructions for opening the demo's guided tour. */
function formatFirstLookInstructions(url: string, path: string): string {
  return `
Take a first look in five steps (opening this link also signs you in):

${url}${path}
`;
}

/** Returns instructions for opening the demo's mailbox. */
function formatMailboxInstructions(url: string, { link }: Pick<DemoMail, "link">): string {
  return `
No emails leave this machine. You can read them in an in-memory mailbox, which is also linked from the console:

${url}${link.url}
`;
}

/** Returns instructions for creating an API token. Shown if the database contains data but no demo. */
function formatTokenInstructions(database: string): string {
  return `
The database isn't empty, so no demo data was added. To create an API token for an organization, run:

npx loyalty-kit token create --database ${quoteForShell(database)} --organization ${DEMO_ORGANIZATION_ID} --name laptop --scopes all
`;
}
