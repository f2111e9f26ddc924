import { serviceInternals } from "../../../src/internals.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { createWallets, type Wallets } from "../../delivery/wallets/index.js";
import { apiTokens, createHttpApi } from "../../http/index.js";
import { createFakeGoogle, type FakeGoogle } from "../wallets/fake-google.js";
import { FakeIPhone } from "../wallets/fake-iphone.js";
import { createFakePki, type FakePki } from "../wallets/pki.js";

/** A push notification sent to the wallet on a customer's phone. */
export interface CapturedPush {
  /** The platform of the wallet that received the push. */
  readonly platform: "apple" | "google";
  /** The ID of the pass that the push notification was for. */
  readonly passId: string;
  /** The text shown on the phone's lock screen, or `null` for a silent push. */
  readonly text: string | null;
  /** The time of the push, according to the test clock. */
  readonly at: Date;
}

/** The midpoint of the period in which the certificates are valid, and half its length in days. */
const CERTIFICATE_VALIDITY = { now: Date.UTC(2035, 0, 1), days: 10_000 };

/** Certificates shared by all tests in a process, because generating keys takes a second. */
let sharedPki: FakePki | null = null;

/** Simulates Apple Wallet and Google Wallet in this process, including customers' phones. */
export class FakeWallets {
  readonly pushes: CapturedPush[] = [];
  private readonly phones = new Map<string, FakeIPhone>();
  private pendingTokens: string[] = [];
  private notifiedCount = 0;

  private constructor(
    private readonly loyalty: LoyaltyService,
    private readonly wallets: Wallets,
    private readonly google: FakeGoogle,
    private readonly root: string,
    private readonly fetch: (request: Request) => Promise<Response>,
    noteToken: (note: (pushToken: string) => void) => void,
  ) {
    noteToken((pushToken) => this.pendingTokens.push(pushToken));
  }

  static async open(
    loyalty: LoyaltyService,
    publicUrl: string,
    onError: ErrorListener,
  ): Promise<FakeWallets> {
    sharedPki ??= createFakePki(CERTIFICATE_VALIDITY);
    const { pass, wwdr, root } = sharedPki;
    let note: (pushToken: string) => void = () => {};
    const push = async (pushToken: string) => {
      note(pushToken);
      return { status: 200, reason: "", deadSince: null };
    };
    const google = await createFakeGoogle({ now: () => serviceInternals(loyalty).now() });
    const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = google;
    const wallets = createWallets(loyalty, {
      ...{ publicUrl, onError, deliver: false, debounceMs: 0, stampRenderer: null },
      apple: { ...pass, wwdr, push },
      google: { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl, callsPerSecond: 10_000 },
    });
    const { fetch } = createHttpApi(loyalty, {
      authenticate: apiTokens(loyalty),
      extensions: [wallets.http],
      onError,
    });
    google.sendBy(fetch);
    return new FakeWallets(loyalty, wallets, google, root, fetch, (callback) => {
      note = callback;
    });
  }

  /** Sends all pending wallet notifications and lets the notified phones fetch their passes. */
  async runOnce(): Promise<void> {
    await this.wallets.runOnce();
    for (const pushToken of this.pendingTokens.splice(0)) {
      const phone = this.phones.get(pushToken);
      if (phone === undefined) continue;
      const previousCount = phone.messages.length;
      const passIds = await phone.pushed();
      const text = phone.messages.slice(previousCount).join("\n") || null;
      for (const passId of passIds) this.addPush("apple", passId, text);
    }
    for (const { objectId, body } of this.google.notices.slice(this.notifiedCount))
      this.addPush("google", objectId.slice(objectId.indexOf(".") + 1), body);
    this.notifiedCount = this.google.notices.length;
  }

  /** Adds a card to Apple Wallet on a new phone that holds no other card. */
  async addToApple(passId: string, link: string): Promise<void> {
    const getNow = () => serviceInternals(this.loyalty).now();
    const phone = new FakeIPhone({
      fetch: this.fetch,
      root: this.root,
      now: getNow,
      deviceId: `iphone-of-${passId}`,
    });
    await phone.add(link);
    this.phones.set(phone.pushToken, phone);
  }

  /** Adds a card to Google Wallet by following the card's link, as a customer would. */
  async addToGoogle(link: string): Promise<void> {
    const response = await this.fetch(new Request(link));
    const location = response.headers.get("location");
    if (location === null) throw new Error(`the link to Google Wallet returned status ${response.status}`);
    await this.google.save(location);
  }

  async close(): Promise<void> {
    await this.wallets.close();
    await this.google.close();
  }

  private addPush(platform: CapturedPush["platform"], passId: string, text: string | null): void {
    this.pushes.push({ platform, passId, text, at: new Date(serviceInternals(this.loyalty).now()) });
  }
}
