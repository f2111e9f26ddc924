import type { StoredAnswer } from "../../storage/answers.js";
import type { StoredApiToken } from "../../storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../storage/apps.js";
import type { NewEvent, StoredEvent } from "../../storage/events.js";
import type { StoredPass, StoredStampEntry } from "../../storage/passes.js";
import type { StorageAdapter, StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredAssignment, StoredTag } from "../../storage/tags.js";
import type { StoredTemplate } from "../../storage/templates.js";
import type { StoredUser } from "../../storage/users.js";
import type {
  NewWalletDelivery,
  StoredPicture,
  StoredWalletCard,
  StoredWalletDelivery,
  StoredWalletDevice,
  StoredWalletQueue,
  WalletClaim,
  WalletOutcome,
  WalletPlatform,
} from "../../storage/wallets.js";
import type {
  AttemptOutcome,
  DeliveryClaim,
  NewDelivery,
  StoredDelivery,
  StoredWebhookEndpoint,
} from "../../storage/webhooks.js";
import {
  asInserted,
  foldsOf,
  someAnswer,
  someApiToken,
  someApp,
  someAssignment,
  someDelivery,
  someEvent,
  someGrant,
  someGrantToken,
  somePass,
  somePicture,
  someStamp,
  someTag,
  someTemplate,
  someUser,
  someWalletCard,
  someWalletDelivery,
  someWalletDevice,
  someWebhookEndpoint,
} from "./records.js";

type Write = <T>(work: (tx: StorageTransaction) => Promise<T>) => Promise<T>;

/** Adds new records to one organization of a store and answers them as they were stored. */
export class Organization {
  private constructor(
    readonly id: string,
    /** Runs the work in one transaction. */
    readonly write: Write,
  ) {}

  /** Each record in a transaction of its own. */
  static of(storage: StorageAdapter, id: string): Organization {
    return new Organization(id, (work) => storage.transaction(work));
  }

  /** The same organization inside a transaction. */
  within(tx: StorageTransaction): Organization {
    return new Organization(this.id, (work) => work(tx));
  }

  user(fields: Partial<Omit<StoredUser, "ordinal">> = {}): Promise<StoredUser> {
    return this.write(async (tx) => {
      const { ordinal } = await tx.nextUser(this.id);
      const user = someUser({ ...fields, ordinal });
      await tx.insertUser(this.id, user, foldsOf(user));
      return user;
    });
  }

  /** As many users as there are fields given, in one transaction. */
  users(fields: readonly Partial<Omit<StoredUser, "ordinal">>[]): Promise<StoredUser[]> {
    return this.write(async (tx) => {
      const users: StoredUser[] = [];
      for (const each of fields) users.push(await this.within(tx).user(each));
      return users;
    });
  }

  tag(fields: Partial<StoredTag> = {}): Promise<StoredTag> {
    const tag = someTag(fields);
    return this.stored(tag, (tx) => tx.insertTag(this.id, tag));
  }

  assign(
    user: StoredUser,
    tag: StoredTag,
    fields: Partial<StoredAssignment> = {},
  ): Promise<StoredAssignment> {
    const assignment = someAssignment(user, tag, fields);
    return this.stored(assignment, (tx) => tx.assignTag(this.id, assignment));
  }

  template(fields: Partial<StoredTemplate> = {}): Promise<StoredTemplate> {
    const template = someTemplate(fields);
    return this.stored(template, (tx) => tx.insertTemplate(this.id, template));
  }

  pass(user: StoredUser, template: StoredTemplate, fields: Partial<StoredPass> = {}): Promise<StoredPass> {
    const pass = somePass(user, template, fields);
    return this.stored(pass, (tx) => tx.insertPass(this.id, pass));
  }

  /** Adds a stamp to the pass as it is stored now. */
  stamp(passId: string, fields: Partial<StoredStampEntry> = {}): Promise<StoredStampEntry> {
    return this.write(async (tx) => {
      const pass = await tx.findPass(this.id, passId);
      if (pass === null) throw new Error(`there is no pass ${passId}`);
      const { card, entry } = someStamp(pass, fields);
      await tx.recordStamps(this.id, card, entry);
      return entry;
    });
  }

  apiToken(fields: Partial<StoredApiToken> = {}): Promise<StoredApiToken> {
    const token = someApiToken(fields);
    return this.stored(token, (tx) => tx.insertApiToken(this.id, token));
  }

  answer(fields: Partial<StoredAnswer> = {}): Promise<StoredAnswer> {
    const answer = someAnswer(fields);
    return this.stored(answer, (tx) => tx.putAnswer(this.id, answer));
  }

  app(fields: Partial<StoredApp> = {}): Promise<StoredApp> {
    const app = someApp(fields);
    return this.stored(app, (tx) => tx.insertApp(this.id, app));
  }

  /** @param app may be that of another organization. */
  grant(app: StoredApp, fields: Partial<StoredGrant> = {}): Promise<StoredGrant> {
    const grant = someGrant(app, fields);
    return this.stored(grant, (tx) => tx.insertGrant(this.id, grant));
  }

  grantToken(grant: StoredGrant, fields: Partial<StoredGrantToken> = {}): Promise<StoredGrantToken> {
    const token = someGrantToken(grant, fields);
    return this.stored(token, (tx) => tx.insertGrantToken(this.id, token));
  }

  /** As many events as there are fields given, in one transaction. */
  events(fields: readonly Partial<NewEvent>[]): Promise<StoredEvent[]> {
    const events = fields.map(someEvent);
    return this.write(async (tx) => {
      const last = await tx.appendEvents(this.id, events);
      return events.map((event, at) => ({ ...event, position: last - events.length + 1 + at }));
    });
  }

  webhookEndpoint(fields: Partial<StoredWebhookEndpoint> = {}): Promise<StoredWebhookEndpoint> {
    const endpoint = someWebhookEndpoint(fields);
    return this.stored(endpoint, (tx) => tx.insertWebhookEndpoint(this.id, endpoint));
  }

  /** As many deliveries as there are fields given, in one call. */
  deliveries(
    endpoint: StoredWebhookEndpoint,
    fields: readonly Partial<NewDelivery>[],
  ): Promise<StoredDelivery[]> {
    const deliveries = fields.map((each) => someDelivery(endpoint, each));
    return this.write(async (tx) => {
      await tx.lockWebhookEndpoint(this.id, endpoint.id, true);
      await tx.insertDeliveries(this.id, endpoint.id, deliveries);
      return deliveries.map(asInserted);
    });
  }

  /** Claims all that is due at 10, until 20. */
  claim(endpoint: StoredWebhookEndpoint, fields: Partial<DeliveryClaim> = {}): Promise<StoredDelivery[]> {
    const claim = { lease: "first", now: 10, until: 20, limit: 100, ...fields };
    return this.write(async (tx) => {
      await tx.lockWebhookEndpoint(this.id, endpoint.id, true);
      return tx.claimDeliveries(this.id, endpoint.id, claim);
    });
  }

  /** @returns the ids of the deliveries whose attempt was recorded. */
  record(
    endpoint: StoredWebhookEndpoint,
    outcomes: readonly AttemptOutcome[],
    lease = "first",
    now = 15,
  ): Promise<string[]> {
    return this.write(async (tx) => {
      await tx.lockWebhookEndpoint(this.id, endpoint.id, true);
      return tx.recordAttempts(this.id, endpoint.id, lease, outcomes, now);
    });
  }

  picture(fields: Partial<StoredPicture> = {}): Promise<StoredPicture> {
    const picture = somePicture(fields);
    return this.stored(picture, (tx) => tx.putPicture(this.id, picture));
  }

  walletQueue(fields: Partial<StoredWalletQueue> = {}): Promise<StoredWalletQueue> {
    const queue = { position: 0, revision: 0, sweeps: [], ...fields };
    return this.stored(queue, (tx) => tx.insertWalletQueue(this.id, queue));
  }

  walletCard(fields: Partial<StoredWalletCard> = {}): Promise<StoredWalletCard> {
    const card = someWalletCard(fields);
    return this.stored(card, (tx) => tx.insertWalletCard(this.id, card));
  }

  walletDevice(
    card: StoredWalletCard,
    fields: Partial<StoredWalletDevice> = {},
  ): Promise<StoredWalletDevice> {
    const device = someWalletDevice(card, fields);
    return this.stored(device, (tx) => tx.putWalletDevice(this.id, device));
  }

  walletDelivery(
    card: StoredWalletCard,
    fields: Partial<NewWalletDelivery> = {},
  ): Promise<StoredWalletDelivery> {
    const delivery = someWalletDelivery(card, fields);
    return this.stored({ ...delivery, attempts: 0 }, (tx) => tx.putWalletDeliveries(this.id, [delivery]));
  }

  /** Claims all of Apple that is due at 10, until 20. */
  claimWallet(
    fields: Partial<WalletClaim> = {},
    platform: WalletPlatform = "apple",
  ): Promise<StoredWalletDelivery[]> {
    const claim = { lease: "first", now: 10, until: 20, limit: 100, ...fields };
    return this.write((tx) => tx.claimWalletDeliveries(this.id, platform, claim));
  }

  /** Settles deliveries of Apple at 15. */
  settleWallet(outcomes: readonly WalletOutcome[], lease = "first"): Promise<void> {
    return this.write((tx) => tx.settleWalletDeliveries(this.id, "apple", lease, outcomes, 15));
  }

  private stored<Row>(row: Row, insert: (tx: StorageTransaction) => Promise<void>): Promise<Row> {
    return this.write(async (tx) => {
      await insert(tx);
      return row;
    });
  }
}
