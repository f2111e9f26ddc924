import type { StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { WriteSession } from "../change/write-session.js";
import type { Reads, Writes } from "../queries.js";
import { lazily } from "./methods.js";
import { SqlReader } from "./reader.js";

type Args<Method extends keyof StorageTransaction> = Parameters<StorageTransaction[Method]>;

/** The reads and writes of the port in a transaction. */
export class SqlTransaction extends SqlReader implements StorageTransaction {
  private readonly usersWrites;
  private readonly tagsWrites;
  private readonly assignmentsWrites;
  private readonly checkWrites;
  private readonly templatesWrites;
  private readonly passesWrites;
  private readonly stampsWrites;
  private readonly eventsWrites;
  private readonly apiTokensWrites;
  private readonly answersWrites;
  private readonly appsWrites;
  private readonly grantsWrites;
  private readonly webhookEndpointsWrites;
  private readonly webhookDeliveriesWrites;

  constructor(
    reads: Reads,
    writes: Writes,
    private readonly session: WriteSession,
  ) {
    // What a transaction wrote is not committed, so none of its sets may enter the cache.
    super(reads, session, null);
    this.usersWrites = lazily(() => writes.users(session));
    this.tagsWrites = lazily(() => writes.tags(session));
    this.assignmentsWrites = lazily(() => writes.assignments(session));
    this.checkWrites = lazily(() => writes.check(session));
    this.templatesWrites = lazily(() => writes.templates(session));
    this.passesWrites = lazily(() => writes.passes(session));
    this.stampsWrites = lazily(() => writes.stamps(session));
    this.eventsWrites = lazily(() => writes.events(session));
    this.apiTokensWrites = lazily(() => writes.apiTokens(session));
    this.answersWrites = lazily(() => writes.answers(session));
    this.appsWrites = lazily(() => writes.apps(session));
    this.grantsWrites = lazily(() => writes.grants(session));
    this.webhookEndpointsWrites = lazily(() => writes.webhookEndpoints(session));
    this.webhookDeliveriesWrites = lazily(() => writes.webhookDeliveries(session));
  }

  // These read in the tables what may still be pending.

  override async listContacts(...args: Args<"listContacts">) {
    await this.session.pending.write();
    return super.listContacts(...args);
  }

  override async readSegments(...args: Args<"readSegments">) {
    await this.session.pending.write();
    return super.readSegments(...args);
  }

  override async verifySegments(...args: Args<"verifySegments">) {
    await this.session.pending.write();
    return super.verifySegments(...args);
  }

  override async listEvents(...args: Args<"listEvents">) {
    await this.session.pending.write();
    return super.listEvents(...args);
  }

  override async newestEventPosition(...args: Args<"newestEventPosition">) {
    await this.session.pending.write();
    return super.newestEventPosition(...args);
  }

  override async endpointsToServe(...args: Args<"endpointsToServe">) {
    await this.session.pending.write();
    return super.endpointsToServe(...args);
  }

  override async isEmpty() {
    await this.session.pending.write();
    return super.isEmpty();
  }

  nextUser(...args: Args<"nextUser">) {
    return this.usersWrites().nextUser(...args);
  }

  insertUser(...args: Args<"insertUser">) {
    return this.usersWrites().insertUser(...args);
  }

  updateUser(...args: Args<"updateUser">) {
    return this.usersWrites().updateUser(...args);
  }

  deleteUser(...args: Args<"deleteUser">) {
    return this.usersWrites().deleteUser(...args);
  }

  insertTag(...args: Args<"insertTag">) {
    return this.tagsWrites().insertTag(...args);
  }

  updateTag(...args: Args<"updateTag">) {
    return this.tagsWrites().updateTag(...args);
  }

  deleteTag(...args: Args<"deleteTag">) {
    return this.tagsWrites().deleteTag(...args);
  }

  assignTag(...args: Args<"assignTag">) {
    return this.assignmentsWrites().assignTag(...args);
  }

  assignTags(...args: Args<"assignTags">) {
    return this.assignmentsWrites().assignTags(...args);
  }

  unassignTag(...args: Args<"unassignTag">) {
    return this.assignmentsWrites().unassignTag(...args);
  }

  unassignUsers(...args: Args<"unassignUsers">) {
    return this.assignmentsWrites().unassignUsers(...args);
  }

  async rebuildSegments(...args: Args<"rebuildSegments">) {
    await this.session.pending.write();
    return this.checkWrites().rebuildSegments(...args);
  }

  insertTemplate(...args: Args<"insertTemplate">) {
    return this.templatesWrites().insertTemplate(...args);
  }

  updateTemplate(...args: Args<"updateTemplate">) {
    return this.templatesWrites().updateTemplate(...args);
  }

  deleteTemplate(...args: Args<"deleteTemplate">) {
    return this.templatesWrites().deleteTemplate(...args);
  }

  insertPass(...args: Args<"insertPass">) {
    return this.passesWrites().insertPass(...args);
  }

  updateInstallation(...args: Args<"updateInstallation">) {
    return this.passesWrites().updateInstallation(...args);
  }

  deletePass(...args: Args<"deletePass">) {
    return this.passesWrites().deletePass(...args);
  }

  recordStamps(...args: Args<"recordStamps">) {
    return this.stampsWrites().recordStamps(...args);
  }

  appendEvents(...args: Args<"appendEvents">) {
    return this.eventsWrites().appendEvents(...args);
  }

  removeEvents(...args: Args<"removeEvents">) {
    return this.eventsWrites().removeEvents(...args);
  }

  insertApiToken(...args: Args<"insertApiToken">) {
    return this.apiTokensWrites().insertApiToken(...args);
  }

  touchApiToken(...args: Args<"touchApiToken">) {
    return this.apiTokensWrites().touchApiToken(...args);
  }

  deleteApiToken(...args: Args<"deleteApiToken">) {
    return this.apiTokensWrites().deleteApiToken(...args);
  }

  putAnswer(...args: Args<"putAnswer">) {
    return this.answersWrites().putAnswer(...args);
  }

  removeAnswers(...args: Args<"removeAnswers">) {
    return this.answersWrites().removeAnswers(...args);
  }

  insertApp(...args: Args<"insertApp">) {
    return this.appsWrites().insertApp(...args);
  }

  updateApp(...args: Args<"updateApp">) {
    return this.appsWrites().updateApp(...args);
  }

  deleteApp(...args: Args<"deleteApp">) {
    return this.appsWrites().deleteApp(...args);
  }

  insertGrant(...args: Args<"insertGrant">) {
    return this.grantsWrites().insertGrant(...args);
  }

  deleteGrant(...args: Args<"deleteGrant">) {
    return this.grantsWrites().deleteGrant(...args);
  }

  insertGrantToken(...args: Args<"insertGrantToken">) {
    return this.grantsWrites().insertGrantToken(...args);
  }

  useGrantToken(...args: Args<"useGrantToken">) {
    return this.grantsWrites().useGrantToken(...args);
  }

  deleteGrantToken(...args: Args<"deleteGrantToken">) {
    return this.grantsWrites().deleteGrantToken(...args);
  }

  removeGrantTokens(...args: Args<"removeGrantTokens">) {
    return this.grantsWrites().removeGrantTokens(...args);
  }

  insertWebhookEndpoint(...args: Args<"insertWebhookEndpoint">) {
    return this.webhookEndpointsWrites().insertWebhookEndpoint(...args);
  }

  lockWebhookEndpoint(...args: Args<"lockWebhookEndpoint">) {
    return this.webhookEndpointsWrites().lockWebhookEndpoint(...args);
  }

  updateWebhookEndpoint(...args: Args<"updateWebhookEndpoint">) {
    return this.webhookEndpointsWrites().updateWebhookEndpoint(...args);
  }

  deleteWebhookEndpoint(...args: Args<"deleteWebhookEndpoint">) {
    return this.webhookEndpointsWrites().deleteWebhookEndpoint(...args);
  }

  insertDeliveries(...args: Args<"insertDeliveries">) {
    return this.webhookDeliveriesWrites().insertDeliveries(...args);
  }

  claimDeliveries(...args: Args<"claimDeliveries">) {
    return this.webhookDeliveriesWrites().claimDeliveries(...args);
  }

  recordAttempts(...args: Args<"recordAttempts">) {
    return this.webhookDeliveriesWrites().recordAttempts(...args);
  }

  removeDeliveries(...args: Args<"removeDeliveries">) {
    return this.webhookDeliveriesWrites().removeDeliveries(...args);
  }
}
