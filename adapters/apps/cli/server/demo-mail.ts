import { randomBase62 } from "../../../../src/base/secrets/token-format.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { createMail, type Mail, type MailOptions } from "../../../delivery/mail/index.js";
import type { HttpExtension } from "../../../http/index.js";
import type { ConsoleLink } from "../../console/index.js";
import { buildMailboxPath, createMailboxPages, DemoMailbox } from "./demo-mailbox.js";
import { type Address, formatUrl } from "./listen.js";
import { buildSendingOptions } from "./mail.js";
import type { MailSettings } from "./settings.js";

const KEY_LENGTH = 24;

/** The mail service for a demo without a mail server. It delivers emails to an in-memory mailbox. */
export class DemoMail {
  /** The mailbox's pages, which are readable by anyone who has their URL. */
  readonly http: HttpExtension;
  /** Link to the mailbox, shown in the console. */
  readonly link: ConsoleLink;
  private readonly mailbox = new DemoMailbox();
  private publicUrl: string;

  /** @param isShownTo a function that returns whether a signed-in user sees the link to the mailbox. */
  constructor(
    private readonly settings: MailSettings,
    isShownTo: NonNullable<ConsoleLink["isShownTo"]>,
  ) {
    const key = randomBase62(KEY_LENGTH);
    this.publicUrl = settings.publicUrl ?? "http://127.0.0.1";
    this.http = createMailboxPages(this.mailbox, {
      key,
      publicUrl: () => this.publicUrl,
      rewriteLinks: settings.publicUrl === undefined,
    });
    this.link = { text: "Demo mailbox", url: buildMailboxPath(key), isShownTo };
  }

  /**
   * Starts delivering a service's emails to the mailbox.
   * @param address the server's address. If the settings contain no public URL, links in emails use `127.0.0.1` and the address's
   *   port.
   */
  start(loyalty: LoyaltyService, { port }: Address, mailOptions: Pick<MailOptions, "onError"> = {}): Mail {
    this.publicUrl = this.settings.publicUrl ?? formatUrl({ host: "127.0.0.1", port });
    return createMail(loyalty, {
      publicUrl: this.publicUrl,
      from: this.settings.mailFrom ?? "Loyalty demo <demo@loyalty.example>",
      smtp: { send: this.mailbox.send },
      ...buildSendingOptions(this.settings),
      ...mailOptions,
    });
  }
}
