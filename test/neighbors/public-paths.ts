import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { LoyaltyService, Organization, StorageAdapter } from "loyalty-kit";
import { createWallets } from "loyalty-kit/wallets";
import { loadGoogleIdentity } from "../../adapters/delivery/wallets/google/identity.js";
import { HeroPictures } from "../../adapters/delivery/wallets/hero-pictures.js";
import { DRAWING_VERSION } from "../../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { encodeJoinCode } from "../../src/base/values/short-link.js";
import { serviceInternals } from "../../src/internals.js";
import { buildLinkToken } from "../../src/messages/mail-links.js";
import { mailJobs } from "../../src/storage/mail.js";
import { createPng } from "../cards/some-picture.js";
import { Authenticator, type Deviation } from "../kit/authenticator.js";
import { PUBLIC_URL, type WalletSetup } from "./wallet-setup.js";

/** Everything that anyone may request who has seen a card and a poster of an organization. */
export interface PublicPaths {
  readonly passType: string;
  readonly passes: readonly string[];
  readonly cards: readonly string[];
  readonly pictures: readonly string[];
  /** The pictures of drawn cards. */
  readonly drawn: readonly string[];
  /** The path on posters, and the short one. */
  readonly join: string;
  readonly shortJoin: string;
  /** The links in mails: to the card, to confirm or refuse the address, and to unsubscribe. */
  readonly mails: {
    readonly cards: readonly string[];
    readonly addresses: readonly string[];
    readonly unsubscribing: readonly string[];
  };
  /** The files of the console. */
  readonly files: readonly string[];
  /** An existing passkey: only its owner's device reveals these ids. */
  readonly passkey: Pick<Deviation, "userHandle" | "credentialId">;
}

const CARDS = 20;

const toDataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

/** Issues cards that look as most do. @returns their paths. */
export async function createPublicPaths(
  loyalty: LoyaltyService,
  organization: Organization,
  setup: WalletSetup,
  storage: StorageAdapter,
): Promise<PublicPaths> {
  const { passType, apple, google } = setup;
  const wallets = createWallets(loyalty, { publicUrl: PUBLIC_URL, apple, deliver: false });
  const unlink = serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  try {
    const template = await organization.templates.create({
      name: "Coffee",
      type: "STAMP_CARD",
      maxStamps: 10,
      design: { logo: toDataUrl(createPng(480, 150)), strip: toDataUrl(createPng(1_125, 432)) },
    });
    const heroes = new HeroPictures({
      root: `${PUBLIC_URL}/wallets/heroes`,
      key: loadGoogleIdentity(google).key,
      version: DRAWING_VERSION,
      drawings: { strip: async () => null, hero: async () => null },
      pictures: async () => null,
      findOrganization: async () => null,
    });
    const passes: string[] = [];
    const cards: string[] = [];
    const mails = { cards: [] as string[], addresses: [] as string[], unsubscribing: [] as string[] };
    for (let at = 0; at < CARDS; at += 1) {
      const email = `card-${at}@example.com`;
      const pass = await organization.passes.create(template.id, { user: { email }, notify: true });
      const { apple } = await organization.passes.walletLinks(pass.id);
      passes.push(getPath(apple ?? ""));
      const card = `/c/${pass.qrCodeValue.slice(pass.qrCodeValue.lastIndexOf("/") + 1)}`;
      cards.push(card);
      const queue = await runStep(storage.reader(organization.id).findQueue(mailJobs));
      const user = await runStep(storage.reader(organization.id).findUser(pass.userId));
      if (queue === null || user === null) throw new Error("nothing was mailed");
      mails.cards.push(`${card}?m=${buildLinkToken(queue, "confirm", user)}`);
      mails.addresses.push(`/m/c/${buildLinkToken(queue, "confirm", user)}`);
      mails.unsubscribing.push(`/m/u/${buildLinkToken(queue, "email", user)}`);
    }
    const { logo, strip } = template.design ?? {};
    const pictures = [logo, strip].flatMap((hash) => (hash == null ? [] : [`/wallets/images/${hash}`]));
    const stamped = Array.from({ length: 11 }, (_, at) => getPath(heroes.buildUrl(template, at, 10)));
    return {
      ...{ passType, passes, cards, mails },
      pictures: [...pictures, ...stamped],
      drawn: [logo, strip].flatMap((hash) => (hash == null ? [] : [`/j/pictures/${hash}`])),
      join: `/join/${template.id}`,
      shortJoin: `/j/${encodeJoinCode(template.id)}`,
      files: readdirSync(join(import.meta.dirname, "../../dist/console"), {
        recursive: true,
        encoding: "utf8",
      })
        .flatMap((name) => /^(.+\.(?:js|css))\.gz$/.exec(name)?.[1] ?? [])
        .map((name) => `/console/assets/${name}`),
      passkey: await createPasskey(loyalty, organization),
    };
  } finally {
    unlink();
    await wallets.close();
  }
}

async function createPasskey(loyalty: LoyaltyService, { people }: Organization) {
  const { person, link } = await people.add({ email: "person@example.com", role: "till" });
  const { signIns } = serviceInternals(loyalty);
  const token = link.path.slice(link.path.lastIndexOf("/") + 1);
  const session = await signIns.startSession(token, { device: "", isLong: false });
  const { credentialId, publicKey } = new Authenticator(PUBLIC_URL);
  const passkeyInput = { name: "Phone", challenge: "none", credentialId, publicKey, counter: 0 };
  await signIns.passkeys.add(session?.token ?? "", passkeyInput);
  return { userHandle: Buffer.from(person.id).toString("base64url"), credentialId };
}

function getPath(url: string): string {
  return new URL(url).pathname;
}
