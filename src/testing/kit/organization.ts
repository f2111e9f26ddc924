import type { Step } from "../../concurrency/step.js";
import type { StorageAdapter, StorageTransaction } from "../../storage/storage-adapter.js";
import { Rows } from "./rows.js";

type Args<Method extends Exclude<keyof Rows, "id" | "tx">> = Parameters<Rows[Method]>;

/** Adds new records to one organization of a store, those of each call in a transaction of its own. */
export class Organization {
  constructor(
    private readonly storage: StorageAdapter,
    readonly id: string,
  ) {}

  /** Runs the work in one transaction. */
  write<T>(work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.storage.transaction(work);
  }

  /** The same organization inside a transaction. */
  within(tx: StorageTransaction): Rows {
    return new Rows(this.id, tx);
  }

  user(...args: Args<"user">) {
    return this.write((tx) => this.within(tx).user(...args));
  }

  users(...args: Args<"users">) {
    return this.write((tx) => this.within(tx).users(...args));
  }

  tag(...args: Args<"tag">) {
    return this.write((tx) => this.within(tx).tag(...args));
  }

  assign(...args: Args<"assign">) {
    return this.write((tx) => this.within(tx).assign(...args));
  }

  template(...args: Args<"template">) {
    return this.write((tx) => this.within(tx).template(...args));
  }

  pass(...args: Args<"pass">) {
    return this.write((tx) => this.within(tx).pass(...args));
  }

  stamp(...args: Args<"stamp">) {
    return this.write((tx) => this.within(tx).stamp(...args));
  }

  apiToken(...args: Args<"apiToken">) {
    return this.write((tx) => this.within(tx).apiToken(...args));
  }

  answer(...args: Args<"answer">) {
    return this.write((tx) => this.within(tx).answer(...args));
  }

  app(...args: Args<"app">) {
    return this.write((tx) => this.within(tx).app(...args));
  }

  grant(...args: Args<"grant">) {
    return this.write((tx) => this.within(tx).grant(...args));
  }

  grantToken(...args: Args<"grantToken">) {
    return this.write((tx) => this.within(tx).grantToken(...args));
  }

  events(...args: Args<"events">) {
    return this.write((tx) => this.within(tx).events(...args));
  }

  webhookEndpoint(...args: Args<"webhookEndpoint">) {
    return this.write((tx) => this.within(tx).webhookEndpoint(...args));
  }

  deliveries(...args: Args<"deliveries">) {
    return this.write((tx) => this.within(tx).deliveries(...args));
  }

  claim(...args: Args<"claim">) {
    return this.write((tx) => this.within(tx).claim(...args));
  }

  record(...args: Args<"record">) {
    return this.write((tx) => this.within(tx).record(...args));
  }

  picture(...args: Args<"picture">) {
    return this.write((tx) => this.within(tx).picture(...args));
  }

  walletQueue(...args: Args<"walletQueue">) {
    return this.write((tx) => this.within(tx).walletQueue(...args));
  }

  walletCard(...args: Args<"walletCard">) {
    return this.write((tx) => this.within(tx).walletCard(...args));
  }

  walletDevice(...args: Args<"walletDevice">) {
    return this.write((tx) => this.within(tx).walletDevice(...args));
  }

  walletDelivery(...args: Args<"walletDelivery">) {
    return this.write((tx) => this.within(tx).walletDelivery(...args));
  }

  claimWallet(...args: Args<"claimWallet">) {
    return this.write((tx) => this.within(tx).claimWallet(...args));
  }

  settleWallet(...args: Args<"settleWallet">) {
    return this.write((tx) => this.within(tx).settleWallet(...args));
  }
}
