import { createHash } from "node:crypto";
import { LoyaltyService, type Organization, type StorageAdapter, scopes } from "loyalty-kit";
import { serviceInternals } from "../../src/internals.js";
import { createPublicPaths, type PublicPaths } from "./public-paths.js";
import type { WalletSetup } from "./wallet-setup.js";

/** The quiet organization as its till knows it. */
export interface QuietOrganization {
  readonly tokens: readonly string[];
  readonly users: readonly string[];
  readonly scans: readonly string[];
  /** Passes, and the addresses to which they are mailed. */
  readonly mailed: readonly { readonly pass: string; readonly address: string }[];
}

/** What the hostile organization has for its attacks. */
export interface HostileOrganization {
  readonly tokens: readonly string[];
  readonly endpoint: string;
  /** A period with as many events as one replay may have. */
  readonly imported: { readonly since: string; readonly until: string };
  readonly hanging: readonly string[];
  readonly oauth: { readonly clientId: string; readonly secret: string; readonly refreshToken: string };
  /** A template, some of its passes whose mails wait, and drafts of messages to everybody. */
  readonly mailed: {
    readonly template: string;
    readonly passes: readonly string[];
    readonly drafts: readonly string[];
  };
  /** What it shows publicly. */
  readonly public: PublicPaths;
}

/** Two organizations in one database. */
export interface Scene {
  readonly quiet: QuietOrganization;
  readonly hostile: HostileOrganization;
}

export interface Sizes {
  /** Number of users of the hostile organization. */
  readonly users: number;
  /** Number of waiting mails of the hostile organization. */
  readonly mails: number;
  /** URL of the quiet organization's webhooks. */
  readonly receiver: string;
  /** URL that never responds. */
  readonly abyss: string;
  readonly wallets: WalletSetup;
}

const QUIET_USERS = 200;
const HANGING_ENDPOINTS = 99;
const TOKENS = 16;
const MAILED_ONE_BY_ONE = 500;
const DRAFTS = 21;
const redirectUri = "https://app.example/back";
const codeVerifier = "v".repeat(43);

/** Fills an empty database, and closes it. */
export async function fill(storage: StorageAdapter, sizes: Sizes): Promise<Scene> {
  const loyalty = new LoyaltyService({ storage, webhooks: { allowLoopback: true } });
  try {
    const quiet = await fillQuiet(loyalty.organization("quiet"), sizes);
    return { quiet, hostile: await fillHostile(loyalty, storage, sizes) };
  } finally {
    await loyalty.close();
  }
}

async function fillQuiet(quiet: Organization, { receiver }: Sizes): Promise<QuietOrganization> {
  const rows = Array.from({ length: QUIET_USERS }, (_, at) => ({
    email: `quiet-${at}@example.com`,
    name: `Quiet ${at}`,
    tags: at % 3 === 0 ? ["VIP"] : [],
  }));
  await quiet.users.import(rows, { createTags: true });
  const card = await quiet.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const users: string[] = [];
  const scans: string[] = [];
  const mailed: { pass: string; address: string }[] = [];
  for await (const { id, email } of quiet.users.list()) {
    users.push(id);
    if (scans.length === 50) continue;
    const pass = await quiet.passes.create(card.id, { userId: id });
    scans.push(pass.qrCodeValue);
    mailed.push({ pass: pass.id, address: email ?? "" });
  }
  await quiet.webhooks.create({ url: receiver, types: ["user.created"] });
  return { users, scans, mailed, tokens: await createTokens(quiet) };
}

async function fillHostile(
  loyalty: LoyaltyService,
  storage: StorageAdapter,
  { users, mails, receiver, abyss, wallets }: Sizes,
): Promise<HostileOrganization> {
  const hostile = loyalty.organization("hostile");
  const tokens = await createTokens(hostile);
  await hostile.tags.create({ name: "Everybody" });
  const endpoint = await createDisabledEndpoint(hostile, receiver.replace("quiet", "hostile"));
  const imported = { since: new Date().toISOString(), until: "" };
  for (let at = 0; at < users; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, users - at) }, (_, next) => ({
      email: `hostile-${at + next}@example.com`,
      name: `Hostile e ${(at + next) % 977}`,
      metadata: { note: "e".repeat(300) },
      ...(mails > 0 && { emailConsent: "SUBSCRIBED" as const, consentAt: "2026-01-01T00:00:00Z" }),
    }));
    await hostile.users.import(rows);
    imported.until ||= new Date().toISOString();
  }
  const hanging: string[] = [];
  for (let at = 0; at < HANGING_ENDPOINTS; at += 1) {
    hanging.push(await createDisabledEndpoint(hostile, `${abyss}/${at}`));
  }
  const oauth = await createGrant(loyalty, hostile);
  const mailed = await prepareMailing(loyalty, hostile, mails);
  const publicPathsOfHostile = await createPublicPaths(loyalty, hostile, wallets, storage);
  return { tokens, endpoint, imported, hanging, oauth, mailed, public: publicPathsOfHostile };
}

/** Issues cards to this many customers, each with a mail that waits. */
async function prepareMailing(
  loyalty: LoyaltyService,
  hostile: Organization,
  count: number,
): Promise<HostileOrganization["mailed"]> {
  const unlink = serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  const card = await hostile.templates.create({ name: "Mailed", type: "STAMP_CARD", maxStamps: 10 });
  for (let at = 0; at < count; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - at) }, (_, next) => ({
      email: `hostile-${at + next}@example.com`,
      passes: [{ templateId: card.id }],
    }));
    await hostile.passes.import(rows, { notify: true, emit: "none" });
  }
  const passes = await Promise.all(
    Array.from({ length: Math.min(MAILED_ONE_BY_ONE, count) }, async (_, at) => {
      const user = { email: `mailed-${at}@example.com` };
      return (await hostile.passes.create(card.id, { user, notify: true })).id;
    }),
  );
  const drafts = await Promise.all(
    Array.from({ length: count === 0 ? 0 : DRAFTS }, async (_, at) => {
      const message = await hostile.messages.create({
        ...{ name: `News ${at}`, audience: { all: true }, channels: ["email"], templateId: card.id },
        ...{ texts: [{ language: "en", subject: "News for {name}", text: "{toGo} to go.\n".repeat(100) }] },
        respectsCap: false,
      });
      return message.id;
    }),
  );
  unlink();
  return { template: card.id, passes, drafts };
}

async function createDisabledEndpoint({ webhooks }: Organization, url: string): Promise<string> {
  const { webhookEndpoint } = await webhooks.create({ url });
  await webhooks.update(webhookEndpoint.id, { isDisabled: true });
  return webhookEndpoint.id;
}

async function createGrant(
  loyalty: LoyaltyService,
  hostile: Organization,
): Promise<HostileOrganization["oauth"]> {
  const { app, clientSecret } = await hostile.apps.create({
    name: "Storm",
    redirectUris: [redirectUri],
    scopes: ["user:read"],
  });
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const code = await hostile.grants.allow({
    appId: app.id,
    subject: "somebody",
    scopes: ["user:read"],
    redirectUri,
    codeChallenge,
  });
  const issuedTokens = await serviceInternals(loyalty).appTokens.redeem(app, {
    code,
    redirectUri,
    codeVerifier,
  });
  if ("refused" in issuedTokens) throw new Error(issuedTokens.reason);
  return { clientId: app.id, secret: clientSecret, refreshToken: issuedTokens.refreshToken };
}

async function createTokens(organization: Organization): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < TOKENS; at += 1) {
    tokens.push((await organization.apiTokens.create({ name: `token ${at}`, scopes: [...scopes] })).token);
  }
  return tokens;
}
