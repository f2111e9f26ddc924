import { MailGateway } from "./mail-gateway.js";
import { WalletGateway } from "./wallet-gateway.js";
import { WorkSignal } from "./work-signal.js";

/** The channels to customers. The host sets them up after the service, and may set up neither. */
export class Channels {
  readonly mail = new MailGateway();
  readonly wallets = new WalletGateway();
  /** Notifies message workers after commits that create work for them. */
  readonly messages = new WorkSignal();

  /** The channels on which this service can send messages. */
  get available(): { readonly email: boolean; readonly wallet: boolean } {
    return { email: this.mail.isOn, wallet: this.wallets.isOn };
  }
}
