import { AppTokens } from "./access/app-tokens.js";
import { EndedSessions } from "./access/ended-sessions.js";
import { AutomationBackend } from "./automations/automation-backend.js";
import { runStep } from "./concurrency/step.js";
import type { ErrorListener } from "./events/event-emitter.js";
import { MailBackend } from "./messages/mail-backend.js";
import { MessageBackend } from "./messages/message-backend.js";
import { refuseOthers, textArgument } from "./operations/arguments.js";
import { SignIns } from "./people/sign-ins.js";
import type { WalletSetup } from "./resources/wallet-certificate.js";
import { SegmentBackend } from "./segments/follower.js";
import type { StoredPicture } from "./storage/wallets.js";
import { TagBackend } from "./tags/removals.js";
import type { Engine } from "./tenant/engine.js";
import type { Tracer } from "./tracing.js";
import { isStorable } from "./values/text.js";
import { type IssuedMessage, readPublicMessage } from "./wallets/shown-message.js";
import { WalletBackend } from "./wallets/wallet-backend.js";
import type { WebhookSettings } from "./webhooks/options.js";
import { WebhookQueue } from "./webhooks/queue.js";

/** The parts of a service for this package's own adapters, besides the calls for hosts. */
export class ServiceInternals {
  /** People sign in here; `createConsole` of `loyalty-kit/console` serves it. */
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

  /** Sessions that hold an API token, and were ended early: for screens that people sign in to by one. */
  get endedSessions(): EndedSessions {
    return new EndedSessions(this.engine);
  }

  /** OAuth 2.0 clients get their tokens here; `loyalty-kit/auth` serves it. */
  get appTokens(): AppTokens {
    return new AppTokens(this.engine);
  }

  /**
   * Delivery workers use this queue; `loyalty-kit/webhooks` has one.
   * @throws {TypeError} if the service has no outbox.
   */
  get webhookQueue(): WebhookQueue {
    if (this.queue === null)
      throw new TypeError("webhooks are delivered from the outbox, which is turned off");
    return this.queue;
  }

  /**
   * Returns the backend that `createWallets` of `loyalty-kit/wallets` uses.
   * @param debounceMs how long a delivery waits for further changes of its card, in milliseconds.
   * @throws {TypeError} if the service has no outbox.
   */
  walletBackend(debounceMs: number): WalletBackend {
    const { outbox } = this.engine;
    if (outbox === null) throw new TypeError("wallets are updated from the outbox, which is turned off");
    return new WalletBackend(this.engine, outbox, this.onError, debounceMs);
  }

  /** Returns the backend that `createMail` of `loyalty-kit/mail` sends mails from, and that pages take what their links say to. */
  mailBackend(): MailBackend {
    return new MailBackend(this.engine, this.onError);
  }

  /** Returns the backend that messages are sent from; `createMail` and `createWallets` run it. */
  messageBackend(): MessageBackend {
    return new MessageBackend(this.engine, this.onError);
  }

  /** Returns the backend that automations are run from; `createAutomationWorker` of `loyalty-kit/webhooks` runs it. */
  automationBackend(): AutomationBackend {
    return new AutomationBackend(this.engine, this.onError);
  }

  /** Returns the backend that takes removed tags from their users; `createSegmentWorker` of `loyalty-kit/webhooks` runs it. */
  tagBackend(): TagBackend {
    return new TagBackend(this.engine, this.onError);
  }

  /** Returns the backend that segments are followed from; `createSegmentWorker` of `loyalty-kit/webhooks` runs it. */
  segmentBackend(): SegmentBackend {
    return new SegmentBackend(this.engine, this.onError);
  }

  /** Channels that this service can send on. */
  get channels(): { readonly email: boolean; readonly wallet: boolean } {
    const { mail, wallets } = this.engine;
    return { email: mail.isOn, wallet: wallets.isOn };
  }

  /**
   * Returns the host's wallet setup, to be shown to the organization. `null` without wallets, and if the host named another
   * organization as operator.
   * @throws {LoyaltyError} `validation_failed` if the id is not a valid one.
   */
  walletSetup(organizationId: string): WalletSetup | null {
    refuseOthers([textArgument("organizationId")], [organizationId]);
    return this.engine.wallets.setupFor(organizationId);
  }

  /**
   * Id of the organization that issued the pass with this code, or `null`. Anyone who has the code may see the card.
   */
  async organizationOfCode(code: string): Promise<string | null> {
    refuseOthers([textArgument("code")], [code]);
    return isStorable(code) ? runStep(this.engine.storage.organizationOfCode(code)) : null;
  }

  /**
   * The message that the card of a pass shows, for the page of the card: in each of its languages, the first for all others, without
   * the name of whose card it is. `null` if it shows none.
   */
  async messageOnCard(organizationId: string, passId: string): Promise<IssuedMessage | null> {
    refuseOthers([textArgument("organizationId"), textArgument("passId")], [organizationId, passId]);
    if (!isStorable(organizationId) || !isStorable(passId)) return null;
    const now = this.engine.clock();
    return this.engine.storage.snapshot((reader) => readPublicMessage(reader, organizationId, passId, now), {
      organizationId,
    });
  }

  /** A picture of a design by its hash, for pages that draw cards: who knows the hash sees it. `null` if there is none. */
  async picture(hash: string): Promise<StoredPicture | null> {
    refuseOthers([textArgument("hash")], [hash]);
    return isStorable(hash) ? runStep(this.engine.storage.findPicture(hash)) : null;
  }

  /** The organization of a template, for pages where people join; `null` if there is none. */
  async organizationOfTemplate(templateId: string): Promise<string | null> {
    refuseOthers([textArgument("templateId")], [templateId]);
    return isStorable(templateId) ? runStep(this.engine.storage.organizationOfTemplate(templateId)) : null;
  }

  /** The tracer records the service's calls; `null` if there is none. */
  get tracer(): Tracer | null {
    return this.engine.tracer;
  }

  /** The time of the service's clock, in milliseconds since the Unix epoch. */
  now(): number {
    return this.engine.clock();
  }

  /** `true` while no midnights of segments are run, since the clock has jumped by more than a day: see {@link refreshSegments}. */
  get isClockRejected(): boolean {
    return this.engine.segmentClock.isRejected;
  }
}
