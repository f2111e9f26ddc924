import { runStep } from "../../../../src/base/concurrency/step.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { HttpExtension } from "../../../http/index.js";
import type { ConsoleLink } from "../../console/index.js";
import { createTokenAgain, ORGANIZATION, seedDemo } from "./demo.js";
import {
  againInstructions,
  demoInstructions,
  firstLookInstructions,
  mailboxInstructions,
  tokenInstructions,
} from "./demo-instructions.js";
import { DemoMail } from "./demo-mail.js";
import { FirstLook } from "./first-look.js";
import type { MailSettings } from "./settings.js";

/** Adds demo features to a server: a guided tour, called the first look, and a mailbox if no mail server is set up. */
export class DemoServer {
  readonly mail: DemoMail | null;
  /** Links to show in the console. The guided tour adds its link when it opens. */
  readonly links: readonly ConsoleLink[];
  readonly pages: readonly HttpExtension[];
  private readonly firstLook: FirstLook;

  /** @param hasMailbox whether to deliver emails to an in-memory mailbox. */
  constructor(settings: MailSettings, hasMailbox: boolean) {
    const links: ConsoleLink[] = [];
    this.links = links;
    this.firstLook = new FirstLook(links);
    this.mail = hasMailbox ? new DemoMail(settings, this.firstLook.isOwner) : null;
    if (this.mail !== null) links.push(this.mail.link);
    this.pages = [...(this.mail === null ? [] : [this.mail.http]), this.firstLook.http];
  }

  /**
   * Prepares the demo and opens the guided tour. Fills an empty database with demo data, or reuses the demo from an earlier run. If
   * the database contains other data, changes nothing and doesn't open the tour.
   * @param server the database's name and the URL at which this machine can reach the server.
   * @returns instructions for trying out the demo.
   */
  async begin(
    loyalty: LoyaltyService,
    storage: StorageAdapter,
    { database, url }: { readonly database: string; readonly url: string },
  ): Promise<string> {
    const mailbox = this.mail === null ? "" : mailboxInstructions(url, this.mail);
    const isEmpty = await runStep(storage.isEmpty());
    const token = isEmpty ? await seedDemo(loyalty, storage) : await createTokenAgain(loyalty);
    if (token === null) return tokenInstructions(database) + mailbox;
    const [template] = await loyalty.organization(ORGANIZATION).templates.list();
    if (template === undefined) throw new Error("the demo has no card");
    const path = this.firstLook.begin({ loyalty, token, templateId: template.id });
    const instructions = isEmpty ? demoInstructions(url, token) : againInstructions(url, token);
    return instructions + firstLookInstructions(url, path) + mailbox;
  }
}
