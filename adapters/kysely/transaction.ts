import type { StorageTransaction } from "../../src/storage.js";
import { lazily } from "./lazily.js";
import type { Reads, Writes } from "./queries.js";
import { SqlReader } from "./reader.js";
import type { WriteSession } from "./write-session.js";

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
}
