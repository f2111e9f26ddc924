import { AppTokens } from "./access/app-tokens.js";
import { EndedSessions } from "./access/ended-sessions.js";
import { AutomationBackend } from "./automations/automation-backend.js";
import { runStep } from "./base/concurrency/step.js";
import type { Tracer } from "./base/tracing.js";
import { findServerUrl } from "./base/values/short-link.js";
import { isStorable } from "./base/values/text.js";
import type { ErrorListener } from "./kernel/events/event-emitter.js";
import { assertArguments, textArgument } from "./kernel/operation-arguments.js";
import { ServiceWorkers } from "./kernel/service-workers.js";
import type { BackendParts } from "./kernel/tenant.js";
import { MailBackend } from "./messages/mail-backend.js";
import { MessageBackend } from "./messages/message-backend.js";
import { SignIns } from "./people/sign-ins.js";
import type { CardPoints } from "./points/card-points.js";
import { PointBackend } from "./points/expiry.js";
import { readCardPoints } from "./points/points.js";
import { SegmentBackend } from "./segments/follower.js";
import type { StoredPicture } from "./storage/wallets.js";
import { TagBackend } from "./tags/removals.js";
import { refreshCards } from "./wallets/card-revisions.js";
import type { WalletSetup } from "./wallets/schema.js";
import { type IssuedMessage, readPublicMessage } from "./wallets/shown-message.js";
import { WalletBackend } from "./wallets/wallet-backend.js";
import type { WebhookSettings } from "./webhooks/options.js";
import { WebhookQueue } from "./webhooks/queue.js";

/** A service's internals, for this package's own adapters. */
export class ServiceInternals {
  /** Signs staff in and out. Used by `createConsole` from `loyalty-kit/console`. */
  readonly signIns: SignIns;
  /** The work that the service does later. Workers run it, and any number of workers can share it. */
  readonly backends;
  /** The workers that run in this process until the service is closed. */
  readonly workers = new ServiceWorkers();
  private readonly queue: WebhookQueue | null;

  constructor(
    private readonly engine: BackendParts,
    webhooks: WebhookSettings,
    private readonly onError: ErrorListener,
  ) {
    this.queue =
      engine.delivery.outbox && new WebhookQueue(engine, engine.delivery.outbox, webhooks, onError);
    this.signIns = new SignIns(engine, onError);
    this.backends = {
      automations: new AutomationBackend(engine, onError),
      /** Claims emails to send, and handles the links in them. */
      mail: new MailBackend(engine, onError),
      messages: new MessageBackend(engine, onError),
      /** Records how time changes points. */
      points: new PointBackend(engine, refreshCards, onError),
      /** Keeps the members of segments up to date. */
      segments: new SegmentBackend(engine, onError),
      /** Removes deleted tags from users. */
      tags: new TagBackend(engine, onError),
    };
  }

  /** The API-token sessions that were ended before they expired. Used by pages where staff sign in with a token. */
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
   * @param debounceMs how long to wait for further changes to a card before delivering it, in milliseconds.
   * @throws {TypeError} if the service has no outbox.
   */
  createWalletBackend(debounceMs: number): WalletBackend {
    const { outbox } = this.engine.delivery;
    if (outbox === null) throw new TypeError("wallets are updated from the outbox, which is turned off");
    return new WalletBackend(this.engine, outbox, this.onError, debounceMs);
  }

  /** Whether this service can send messages, for each channel. */
  get channels(): { readonly email: boolean; readonly wallet: boolean } {
    return this.engine.channels.available;
  }

  /** The URL at which customers' phones reach the server, or `null` if it doesn't follow from the links in QR codes. */
  get publicUrl(): string | null {
    return findServerUrl(this.engine.config.shortLinks.current);
  }

  /**
   * Returns the host's wallet setup for display to the organization. Returns `null` if the host hasn't set up wallets, or if the
   * `operator` option names a different organization.
   * @throws {LoyaltyError} `validation_failed` if the ID is invalid.
   */
  findWalletSetup(organizationId: string): WalletSetup | null {
    assertArguments([textArgument("organizationId")], [organizationId]);
    return this.engine.channels.wallets.setupFor(organizationId);
  }

  /**
   * Returns the ID of the organization that issued the pass with the given code, or `null` if the code is unknown. Requires no
   * authentication, because anyone who has the code is allowed to see the card.
   */
  async findOrganizationByCode(code: string): Promise<string | null> {
    assertArguments([textArgument("code")], [code]);
    return isStorable(code) ? runStep(this.engine.storage.all.organizationOfCode(code)) : null;
  }

  /**
   * Returns the message that is shown on a pass's card, in all of its languages, or `null` if no message is shown. Used for the
   * card's page. The first language is the fallback. The customer's name is left out.
   */
  async findCardMessage(organizationId: string, passId: string): Promise<IssuedMessage | null> {
    assertArguments([textArgument("organizationId"), textArgument("passId")], [organizationId, passId]);
    if (!isStorable(organizationId) || !isStorable(passId)) return null;
    const now = this.engine.clock();
    return this.engine.storage.snapshot(organizationId, (reader) => readPublicMessage(reader, passId, now));
  }

  /** Returns what a pass's card shows of its points, or `null` if the pass has none. Used for the card's page. */
  async findCardPoints(organizationId: string, passId: string): Promise<CardPoints | null> {
    assertArguments([textArgument("organizationId"), textArgument("passId")], [organizationId, passId]);
    if (!isStorable(organizationId) || !isStorable(passId)) return null;
    const now = this.engine.clock();
    return this.engine.storage.snapshot(organizationId, function* (reader) {
      const pass = yield* reader.findPass(passId);
      const template = pass && (yield* reader.findTemplate(pass.templateId));
      return pass && template && (yield* readCardPoints(reader, pass, template, now));
    });
  }

  /**
   * Finds a design's picture by its hash. Used by pages that draw cards. Returns `null` if there is no such picture. Requires no
   * authentication, because anyone who knows the hash is allowed to see the picture.
   */
  async findPicture(hash: string): Promise<StoredPicture | null> {
    assertArguments([textArgument("hash")], [hash]);
    return isStorable(hash) ? runStep(this.engine.storage.all.findPicture(hash)) : null;
  }

  /**
   * Returns the ID of the organization that has the given template, or `null` if there is no such template. Used by sign-up pages.
   */
  async findOrganizationByTemplate(templateId: string): Promise<string | null> {
    assertArguments([textArgument("templateId")], [templateId]);
    return isStorable(templateId)
      ? runStep(this.engine.storage.all.organizationOfTemplate(templateId))
      : null;
  }

  get tracer(): Tracer | null {
    return this.engine.tracer;
  }

  /** Returns the service's current time, in milliseconds since the Unix epoch. */
  now(): number {
    return this.engine.clock();
  }

  /**
   * Whether the clock jumped ahead by more than a day and the jump hasn't been accepted. Until the clock is corrected or the jump
   * is accepted, no midnights are evaluated for segments. See `LoyaltyService.refreshSegments`.
   */
  get isClockRejected(): boolean {
    return this.engine.segmentClock.isRejected;
  }
}
