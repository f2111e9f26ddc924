import { signals } from "../../../../src/base/signals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { createMail, type Mail, type SetupFinding } from "../../../delivery/mail/index.js";
import type { DemoMail } from "./demo-mail.js";
import type { Address } from "./listen.js";
import type { ServerPlan } from "./plan.js";
import { createPart, type ServerContext } from "./server-context.js";

/** A server's mail service. In a demo, the mail service starts only after the server's port is known. */
export class MailService {
  private mail: Mail | null = null;

  /** @throws {CommandError} if the mail options are invalid. */
  constructor(
    private readonly loyalty: LoyaltyService,
    { mail: options }: ServerPlan,
    private readonly context: ServerContext,
  ) {
    const { log, shutdown, onError } = context;
    const onFinding = ({ severity, message }: SetupFinding) =>
      log.note(`loyalty-kit: mail: ${severity}: ${message}`);
    if (options !== null)
      this.mail = createPart(() => createMail(loyalty, { ...options, onError, onFinding }));
    const unsubscribe = signals.mailWaits.on((isWaiting) => {
      if (!isWaiting) log.note("loyalty-kit: mail: the mail server is accepting emails again");
    });
    shutdown.addWorker(() => {
      unsubscribe();
      return this.mail?.stop();
    });
    // Running requests may still queue emails.
    shutdown.addResource(() => this.mail?.close());
  }

  /**
   * Starts the mail service of a demo that has no mail server. Call it after the server starts listening, because links in emails
   * can contain the server's port.
   * @throws {CommandError} if the mail settings are invalid.
   */
  startDemo(demo: DemoMail, address: Address): void {
    const { onError } = this.context;
    this.mail = createPart(() => demo.start(this.loyalty, address, { onError }));
  }
}
