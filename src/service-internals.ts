import { AppTokens } from "./access/app-tokens.js";
import { EndedSessions } from "./access/ended-sessions.js";
import { AutomationBackend } from "./automations/automation-backend.js";
import { runStep } from "./base/concurrency/step.js";
import type { Tracer } from "./base/tracing.js";
import { isStorable } from "./base/values/text.js";
import type { Engine } from "./kernel/engine.js";
import type { ErrorListener } from "./kernel/events/event-emitter.js";
import { refuseOthers, textArgument } from "./kernel/operation-arguments.js";
import { MailBackend } from "./messages/mail-backend.js";
import { MessageBackend } from "./messages/message-backend.js";
import { SignIns } from "./people/sign-ins.js";
import { SegmentBackend } from "./segments/follower.js";
import type { StoredPicture } from "./storage/wallets.js";
import { TagBackend } from "./tags/removals.js";
import type { WalletSetup } from "./wallets/schema.js";
import { type IssuedMessage, readPublicMessage } from "./wallets/shown-message.js";
import { WalletBackend } from "./wallets/wallet-backend.js";
import type { WebhookSettings } from "./webhooks/options.js";
import { WebhookQueue } from "./webhooks/queue.js";

/** The internals of a service, for this package's own adapters. */
export class ServiceInternals {
  /** Signs staff in. Used by `createConsole` from `loyalty-kit/console`. */
  readonly signIns: SignIns;
  private readonly queue: WebhookQueue | null;

  constructor(
    private readonly engine: Engine,
    webhooks: WebhookSettings,
    private readonly onError: ErrorListener,
  ) {
    this.queue = engine.outbox && new WebhookQueue(engine, engine.outbox, webhooks, onError);
    this.signIns = new SignIns(engine, onError);
  }

  /** Tracks API-token sessions that ended early, for screens where staff sign in with a token. */
  get endedSessions(): EndedSessions {
    return new EndedSessions(this.engine);
  }

  /** Issues tokens to OAuth 2.0 clients. Used by `loyalty-kit/auth`. */
  get appTokens(): AppTokens {
    return new AppTokens(this.engine);
  }

  /**
   * The webhook queue for delivery workers, such as the worker in `loyalty-kit/webhooks`.
   * @throws {TypeError} if the service has no outbox.
   */
  get webhookQueue(): WebhookQueue {
    if (this.queue === null)
      throw new TypeError("webhooks are delivered from the outbox, which is turned off");
    return this.queue;
  }

  /**
   * Returns the backend for `createWallets` from `loyalty-kit/wallets`.
   * @param debounceMs how long a delivery waits for further changes to its card, in milliseconds.
   * @throws {TypeError} if the service has no outbox.
   */
  walletBackend(debounceMs: number): WalletBackend {
    const { outbox } = this.engine;
    if (outbox === null) throw new TypeError("wallets are updated from the outbox, which is turned off");
    return new WalletBackend(this.engine, outbox, this.onError, debounceMs);
  }

  /**
   * Returns the backend for `createMail` from `loyalty-kit/mail`. It provides the emails to send, and handles requests from the
   * links in them.
   */
  mailBackend(): MailBackend {
    return new MailBackend(this.engine, this.onError);
  }

  /** Returns the backend that sends messages. `createMail` and `createWallets` run it. */
  messageBackend(): MessageBackend {
    return new MessageBackend(this.engine, this.onError);
  }

  /** Returns the backend that executes automations. `createAutomationWorker` from `loyalty-kit/webhooks` runs it. */
  automationBackend(): AutomationBackend {
    return new AutomationBackend(this.engine, this.onError);
  }

  /** Returns the backend that removes deleted tags from users. `createSegmentWorker` from `loyalty-kit/webhooks` runs it. */
  tagBackend(): TagBackend {
    return new TagBackend(this.engine, this.onError);
  }

  /** Returns the backend that keeps segments up to date. `createSegmentWorker` from `loyalty-kit/webhooks` runs it. */
  segmentBackend(): SegmentBackend {
    return new SegmentBackend(this.engine, this.onError);
  }

  /** The channels on which this service can send messages. */
  get channels(): { readonly email: boolean; readonly wallet: boolean } {
    const { mail, wallets } = this.engine;
    return { email: mail.isOn, wallet: wallets.isOn };
  }

  /**
   * Returns the host's wallet setup for display to the organization, or `null` if there are no wallets or the host named a
   * different organization as operator.
   * @throws {LoyaltyError} `validation_failed` if the ID is invalid.
   */
  walletSetup(organizationId: string): WalletSetup | null {
    refuseOthers([textArgument("organizationId")], [organizationId]);
    return this.engine.wallets.setupFor(organizationId);
  }

  /**
   * Returns the ID of the organization that issued the pass with this code, or `null` if the code is unknown. Needs no
   * authentication, because anyone who has the code may see the card.
   */
  async organizationOfCode(code: string): Promise<string | null> {
    refuseOthers([textArgument("code")], [code]);
    return isStorable(code) ? runStep(this.engine.storage.organizationOfCode(code)) : null;
  }

  /**
   * Returns the message shown on a pass's card, for the card's page, in each of its languages. The first language is the fallback,
   * and the customer's name is left out. Returns `null` if the card shows no message.
   */
  async messageOnCard(organizationId: string, passId: string): Promise<IssuedMessage | null> {
    refuseOthers([textArgument("organizationId"), textArgument("passId")], [organizationId, passId]);
    if (!isStorable(organizationId) || !isStorable(passId)) return null;
    const now = this.engine.clock();
    return this.engine.storage.snapshot((reader) => readPublicMessage(reader, organizationId, passId, now), {
      organizationId,
    });
  }

  /**
   * Returns a design's picture by its hash, for pages that draw cards, or `null` if there is no such picture. Needs no
   * authentication, because anyone who knows the hash may see the picture.
   */
  async picture(hash: string): Promise<StoredPicture | null> {
    refuseOthers([textArgument("hash")], [hash]);
    return isStorable(hash) ? runStep(this.engine.storage.findPicture(hash)) : null;
  }

  /** Returns the ID of a template's organization, for sign-up pages, or `null` if there is no such template. */
  async organizationOfTemplate(templateId: string): Promise<string | null> {
    refuseOthers([textArgument("templateId")], [templateId]);
    return isStorable(templateId) ? runStep(this.engine.storage.organizationOfTemplate(templateId)) : null;
  }

  /** The tracer that records the service's calls, or `null` if there is none. */
  get tracer(): Tracer | null {
    return this.engine.tracer;
  }

  /** Returns the current time according to the service's clock, in milliseconds since the Unix epoch. */
  now(): number {
    return this.engine.clock();
  }

  /**
   * `true` while the clock is rejected because it jumped by more than a day. Until the clock is accepted, no midnights are
   * evaluated for segments. See `LoyaltyService.refreshSegments`.
   */
  get isClockRejected(): boolean {
    return this.engine.segmentClock.isRejected;
  }
}
