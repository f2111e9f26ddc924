import type { StorageReader } from "../../../src/storage/storage-adapter.js";
import type { Reads } from "../queries.js";
import type { SegmentCache } from "../segments/segment-cache.js";
import type { ReadSession } from "../session/session.js";
import { lazily } from "./methods.js";

type Args<Method extends keyof StorageReader> = Parameters<StorageReader[Method]>;

/**
 * The reads of the port on a session. One is made for every snapshot and transaction, which mostly call few of them: so
 * each group of methods is bound to the session when it is first needed.
 */
export class SqlReader implements StorageReader {
  private readonly users;
  private readonly tags;
  private readonly assignments;
  private readonly segments;
  private readonly check;
  private readonly contacts;
  private readonly templates;
  private readonly passes;
  private readonly stamps;
  private readonly events;
  private readonly apiTokens;
  private readonly answers;
  private readonly apps;
  private readonly grants;
  private readonly webhookEndpoints;
  private readonly webhookDeliveries;
  private readonly organizations;

  /** @param cache null where uncommitted sets can be seen: they must never enter it. */
  constructor(reads: Reads, session: ReadSession, cache: SegmentCache | null) {
    this.users = lazily(() => reads.users(session));
    this.tags = lazily(() => reads.tags(session));
    this.assignments = lazily(() => reads.assignments(session, this.users()));
    this.segments = lazily(() => reads.segments(session, cache));
    this.check = lazily(() => reads.check(session));
    this.contacts = lazily(() => reads.contacts(session, this));
    this.templates = lazily(() => reads.templates(session));
    this.passes = lazily(() => reads.passes(session));
    this.stamps = lazily(() => reads.stamps(session));
    this.events = lazily(() => reads.events(session));
    this.apiTokens = lazily(() => reads.apiTokens(session));
    this.answers = lazily(() => reads.answers(session));
    this.apps = lazily(() => reads.apps(session));
    this.grants = lazily(() => reads.grants(session));
    this.webhookEndpoints = lazily(() => reads.webhookEndpoints(session));
    this.webhookDeliveries = lazily(() => reads.webhookDeliveries(session));
    this.organizations = lazily(() => reads.organizations(session));
  }

  findUser(...args: Args<"findUser">) {
    return this.users().findUser(...args);
  }

  findUserByExternalId(...args: Args<"findUserByExternalId">) {
    return this.users().findUserByExternalId(...args);
  }

  findUserByEmail(...args: Args<"findUserByEmail">) {
    return this.users().findUserByEmail(...args);
  }

  listUsers(...args: Args<"listUsers">) {
    return this.users().listUsers(...args);
  }

  usersByOrdinal(...args: Args<"usersByOrdinal">) {
    return this.users().usersByOrdinal(...args);
  }

  listContacts(...args: Args<"listContacts">) {
    return this.contacts().listContacts(...args);
  }

  findTag(...args: Args<"findTag">) {
    return this.tags().findTag(...args);
  }

  listTags(...args: Args<"listTags">) {
    return this.tags().listTags(...args);
  }

  tagsOfUser(...args: Args<"tagsOfUser">) {
    return this.assignments().tagsOfUser(...args);
  }

  slugsOfUsers(...args: Args<"slugsOfUsers">) {
    return this.assignments().slugsOfUsers(...args);
  }

  usersOfTag(...args: Args<"usersOfTag">) {
    return this.assignments().usersOfTag(...args);
  }

  readSegments(...args: Args<"readSegments">) {
    return this.segments().readSegments(...args);
  }

  verifySegments(...args: Args<"verifySegments">) {
    return this.check().verifySegments(...args);
  }

  findTemplate(...args: Args<"findTemplate">) {
    return this.templates().findTemplate(...args);
  }

  listTemplates(...args: Args<"listTemplates">) {
    return this.templates().listTemplates(...args);
  }

  templateHasPasses(...args: Args<"templateHasPasses">) {
    return this.templates().templateHasPasses(...args);
  }

  findPass(...args: Args<"findPass">) {
    return this.passes().findPass(...args);
  }

  findPassByCode(...args: Args<"findPassByCode">) {
    return this.passes().findPassByCode(...args);
  }

  passesOfUsers(...args: Args<"passesOfUsers">) {
    return this.passes().passesOfUsers(...args);
  }

  listStampEntries(...args: Args<"listStampEntries">) {
    return this.stamps().listStampEntries(...args);
  }

  listEvents(...args: Args<"listEvents">) {
    return this.events().listEvents(...args);
  }

  newestEventPosition(...args: Args<"newestEventPosition">) {
    return this.events().newestEventPosition(...args);
  }

  findEvent(...args: Args<"findEvent">) {
    return this.events().findEvent(...args);
  }

  listApiTokens(...args: Args<"listApiTokens">) {
    return this.apiTokens().listApiTokens(...args);
  }

  findApiToken(...args: Args<"findApiToken">) {
    return this.apiTokens().findApiToken(...args);
  }

  findApiTokenByHash(...args: Args<"findApiTokenByHash">) {
    return this.apiTokens().findApiTokenByHash(...args);
  }

  findAnswer(...args: Args<"findAnswer">) {
    return this.answers().findAnswer(...args);
  }

  listApps(...args: Args<"listApps">) {
    return this.apps().listApps(...args);
  }

  findApp(...args: Args<"findApp">) {
    return this.apps().findApp(...args);
  }

  findGrantTokenByHash(...args: Args<"findGrantTokenByHash">) {
    return this.grants().findGrantTokenByHash(...args);
  }

  listGrants(...args: Args<"listGrants">) {
    return this.grants().listGrants(...args);
  }

  listWebhookEndpoints(...args: Args<"listWebhookEndpoints">) {
    return this.webhookEndpoints().listWebhookEndpoints(...args);
  }

  findWebhookEndpoint(...args: Args<"findWebhookEndpoint">) {
    return this.webhookEndpoints().findWebhookEndpoint(...args);
  }

  endpointsToServe(...args: Args<"endpointsToServe">) {
    return this.webhookEndpoints().endpointsToServe(...args);
  }

  listDeliveries(...args: Args<"listDeliveries">) {
    return this.webhookDeliveries().listDeliveries(...args);
  }

  findDelivery(...args: Args<"findDelivery">) {
    return this.webhookDeliveries().findDelivery(...args);
  }

  attemptsOf(...args: Args<"attemptsOf">) {
    return this.webhookDeliveries().attemptsOf(...args);
  }

  isEmpty() {
    return this.organizations().isEmpty();
  }
}
