import { DAY_MS } from "../../../src/base/values/clock.js";
import {
  type FakeMessage,
  findAdditionError,
  findMessagesError,
  listMessages,
  listVisibleMessages,
} from "./google-messages.js";

/** A failure that the fake REST API can simulate. */
export type GoogleFault =
  | {
      /** The HTTP status of Google's error response, such as 503. */
      readonly status: number;
      /** Google's reason in the response body. Default: `scripted`. */
      readonly reason?: string;
      /** The number of seconds for the `Retry-After` header. Default: no header. */
      readonly retryAfter?: number;
    }
  /** The call is executed, but its response is lost. */
  | "lost"
  /**
   * The call gets no response. It is executed only when {@link GoogleStore.arrive} is called, by which time the caller has given up
   * waiting.
   */
  | "late"
  | "drop";

/** A notification shown to people who have a card in their wallet. */
export interface FakeNotice {
  /** The ID of the card's object, such as `3388.wp_1`. */
  readonly objectId: string;
  /** The message's ID, or `null` if the notification is about an update. */
  readonly messageId: string | null;
  /** The text of the notification, as shown to the user. */
  readonly body: string;
  /** When the notification was shown, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A JSON response from the fake REST API. */
export interface StoreResponse {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A card's wallet object as Google stores it, along with whether anyone has saved the card to a wallet. */
export interface FakeCard {
  /** The object's content as the caller wrote it, without the parts that Google discards. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Whether a customer has the card in their wallet. */
  readonly hasUsers: boolean;
}

type Content = Readonly<Record<string, unknown>>;

const idPattern = /^[\w.-]{1,200}$/;
const MAX_TEXT_MODULES = 10;
const MAX_NOTICES = 3;

/** Stores an issuer's classes and objects, and enforces Google's rules for them. */
export class GoogleStore {
  /** The contents of the classes, keyed by class ID. */
  readonly classes = new Map<string, Content>();
  /** The cards, keyed by object ID. */
  readonly objects = new Map<string, FakeCard>();
  /** The notifications shown to people. Updates and messages combined, a card shows at most three within 24 hours. */
  readonly notices: FakeNotice[] = [];
  /**
   * The messages that have appeared more than once on the same card at the same time, each formatted as the card's ID followed by
   * the message's ID, such as `3388.wp_1 msg_1`.
   */
  readonly doubles: string[] = [];
  /** Violations of Google's rules that the fake found in requests, in order. Empty if every request was valid. */
  readonly complaints: string[] = [];
  private readonly scriptedFaults: (GoogleFault | null)[] = [];
  private permanentFault: GoogleFault | null = null;
  private readonly notificationTimes = new Map<string, number[]>();
  private readonly delayedCalls: (() => Promise<unknown>)[] = [];

  constructor(
    /** The issuer ID. */
    readonly issuerId: string,
    protected readonly now: () => number,
    protected fetch: (request: Request) => Promise<Response>,
  ) {}

  /** The text of each notification shown to people. */
  get notifications(): readonly string[] {
    return this.notices.map(({ body }) => body);
  }

  /** Returns the messages currently visible on a card, oldest first. */
  messagesOn(objectId: string): readonly FakeMessage[] {
    return listVisibleMessages(this.objects.get(objectId)?.content ?? {}, this.now());
  }

  /** Executes the calls that were delayed by a `late` fault. */
  async arrive(): Promise<void> {
    for (const call of this.delayedCalls.splice(0)) await call();
  }

  /** Queues faults for the next REST calls, in order, one per call. `null` lets a call succeed. */
  script(...faults: readonly (GoogleFault | null)[]): void {
    this.scriptedFaults.push(...faults);
  }

  /** Makes every REST call fail with the given fault. Pass `null` to stop the failures. */
  fail(fault: GoogleFault | null): void {
    this.permanentFault = fault;
  }

  /**
   * Sets a class's review status. Does nothing if the class doesn't exist.
   * @param reviewStatus the status, such as `APPROVED` or `REJECTED`.
   */
  review(classId: string, reviewStatus: string): void {
    const reviewed = this.classes.get(classId);
    if (reviewed !== undefined) this.classes.set(classId, { ...reviewed, reviewStatus });
  }

  /**
   * Marks an object as saved to a person's wallet.
   * @throws if the object doesn't exist or isn't active.
   */
  protected addUser(objectId: string): void {
    const card = this.objects.get(objectId);
    if (card === undefined) throw new Error(`Google has no object ${objectId}`);
    if (card.content.state !== "ACTIVE") throw new Error(`the object ${objectId} is not active`);
    this.objects.set(objectId, { ...card, hasUsers: true });
  }

  protected removeUser(objectId: string): void {
    const card = this.objects.get(objectId);
    if (card !== undefined) this.objects.set(objectId, { ...card, hasUsers: false });
  }

  /**
   * Returns the callback URL of a class, or of the first class if there is none with this ID.
   * @throws if the class has no callback URL.
   */
  protected findCallbackUrl(classId: unknown): string {
    const loyaltyClass = this.classes.get(String(classId)) ?? [...this.classes.values()][0];
    const options: { url?: string } = Object(loyaltyClass?.callbackOptions);
    if (options.url === undefined) throw new Error("no class has a callback URL");
    return options.url;
  }

  /**
   * Handles a REST call.
   * @param place the request path, relative to `/walletobjects/v1`.
   * @returns the response, or `"drop"` to close the connection without a response.
   */
  async answer(method: string, place: string, body: string): Promise<StoreResponse | "drop"> {
    const fault = this.scriptedFaults.shift() ?? this.permanentFault;
    if (fault === "drop") return "drop";
    if (fault === "late") {
      this.delayedCalls.push(() => this.runRequest(method, place, body));
      return "drop";
    }
    if (fault !== null && fault !== "lost") {
      const { status, reason = "scripted", retryAfter } = fault;
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return { ...createRefusal(status, reason), headers };
    }
    const result = await this.runRequest(method, place, body);
    return fault === "lost" ? "drop" : result;
  }

  private async runRequest(method: string, place: string, body: string): Promise<StoreResponse> {
    const [kind = "", query = ""] = place.slice(1).split("?");
    const [type, requestedId, verb] = kind.split("/").map(decodeURIComponent);
    if (type !== "loyaltyClass" && type !== "loyaltyObject") return createRefusal(404, "notFound");
    if (verb !== undefined) {
      const isAddition = type === "loyaltyObject" && verb === "addMessage" && method === "POST";
      return isAddition
        ? this.addMessage(requestedId ?? "", JSON.parse(body))
        : createRefusal(404, "notFound");
    }
    if (method === "GET" && requestedId === undefined) return this.list(query);
    const parsedBody: Content = method === "GET" ? {} : JSON.parse(body);
    // Finish waiting first, so that the later of two concurrent writes sees the earlier one's result.
    const pictureError = await this.findPictureError(parsedBody);
    const id = method === "POST" ? String(parsedBody.id) : (requestedId ?? "");
    const current = type === "loyaltyClass" ? this.classes.get(id) : this.objects.get(id)?.content;
    if (method === "POST" && current !== undefined) return createRefusal(409, "existingResource");
    if (method !== "POST" && method !== "GET" && method !== "PATCH")
      return createRefusal(405, "methodNotAllowed");
    if (method !== "POST" && current === undefined) return createRefusal(404, "notFound");
    return method === "GET"
      ? this.showContent(type, id)
      : this.write(type, id, current ?? {}, parsedBody, pictureError);
  }

  private write(
    type: string,
    id: string,
    previous: Content,
    content: Content,
    pictureError: string | null,
  ): StoreResponse {
    const { notifyPreference, ...fields } = content;
    const after = Object.fromEntries(
      Object.entries({ ...previous, ...fields }).filter(([, value]) => value !== null),
    );
    const rejection =
      this.findIdError(id) ??
      (type === "loyaltyClass" ? findClassError(content, after) : this.findObjectError(after, content));
    if (rejection !== null) {
      this.complaints.push(`${type} ${id}: ${rejection.body.error.message}`);
      return rejection;
    }
    if (pictureError !== null) {
      this.complaints.push(`${type} ${id}: ${pictureError}`);
      return createRefusal(400, "invalidImage");
    }
    if (type === "loyaltyClass") this.classes.set(id, after);
    else {
      const isNotified = notifyPreference === "NOTIFY_ON_UPDATE" && this.isVisibleChange(id, previous, after);
      if (isNotified && !this.mayNotify(id)) return createRefusal(403, "quotaExceeded");
      const [message] = listMessages(after);
      if (isNotified) this.notify(id, null, message?.body ?? "");
      this.storeObject(id, after);
    }
    return this.showContent(type, id);
  }

  /** Adds a message to an object, without checking for an existing message with the same ID. */
  private addMessage(id: string, content: Content): StoreResponse {
    const card = this.objects.get(id);
    if (card === undefined) return createRefusal(404, "notFound");
    const error = findAdditionError(content, card.content);
    if (error !== null) {
      this.complaints.push(`addMessage ${id}: ${error}`);
      return createRefusal(400, error);
    }
    const messages = [...listMessages(card.content), ...listMessages({ messages: [content.message] })];
    const [addedMessage] = messages.slice(-1);
    if (addedMessage?.messageType === "TEXT_AND_NOTIFY" && card.hasUsers) {
      if (!this.mayNotify(id)) return createRefusal(403, "quotaExceeded");
      this.notify(id, addedMessage.id, addedMessage.body);
    }
    this.storeObject(id, { ...card.content, messages });
    return { status: 200, body: { resource: this.showContent("loyaltyObject", id).body } };
  }

  private storeObject(id: string, content: Content): void {
    const ids = listMessages(content).map((message) => message.id);
    const duplicates = ids.filter((messageId, at) => ids.indexOf(messageId) < at);
    this.doubles.push(...duplicates.map((messageId) => `${id} ${messageId}`));
    this.objects.set(id, { content, hasUsers: this.objects.get(id)?.hasUsers ?? false });
  }

  private showContent(type: string, id: string): StoreResponse {
    if (type === "loyaltyClass") return { status: 200, body: { ...this.classes.get(id) } };
    const card = this.objects.get(id);
    return { status: 200, body: { ...card?.content, hasUsers: card?.hasUsers } };
  }

  private list(query: string): StoreResponse {
    if (new URLSearchParams(query).get("issuerId") !== this.issuerId) return createRefusal(403, "forbidden");
    return { status: 200, body: { resources: [...this.classes.values()] } };
  }

  private findIdError(id: string) {
    if (!id.startsWith(`${this.issuerId}.`)) return createRefusal(403, "forbidden");
    return idPattern.test(id) ? null : createRefusal(400, "invalidResource");
  }

  private findObjectError(content: Content, request: Content) {
    if (!this.classes.has(String(content.classId))) return createRefusal(404, "classNotFound");
    const texts: unknown[] = Array.isArray(content.textModulesData) ? content.textModulesData : [];
    if (texts.length > MAX_TEXT_MODULES) return createRefusal(400, "tooManyTexts");
    const error = findMessagesError(request);
    if (error !== null) return createRefusal(400, error);
    return content.state === "ACTIVE" || content.state === "INACTIVE"
      ? null
      : createRefusal(400, "invalidState");
  }

  /** Returns the error in a picture that a request refers to, or `null`. */
  private async findPictureError(content: Content): Promise<string | null> {
    for (const url of listPictures(content)) {
      const { status, headers } = await this.fetch(new Request(url));
      const type = headers.get("content-type") ?? "";
      if (status !== 200) return `${url} answers ${status}`;
      if (!/^image\/(?:png|jpeg)$/.test(type)) return `${url} is ${type}`;
    }
    return null;
  }

  private mayNotify(id: string): boolean {
    const since = this.now() - DAY_MS;
    return (this.notificationTimes.get(id) ?? []).filter((time) => time > since).length < MAX_NOTICES;
  }

  /** Returns whether people have the card and see a visible change to it. */
  private isVisibleChange(id: string, before: Content, after: Content): boolean {
    const isChanged = JSON.stringify(before.loyaltyPoints) !== JSON.stringify(after.loyaltyPoints);
    return isChanged && this.objects.get(id)?.hasUsers === true;
  }

  /** Notifies people of an update or a message. */
  private notify(objectId: string, messageId: string | null, body: string): void {
    const at = this.now();
    this.notificationTimes.set(objectId, [...(this.notificationTimes.get(objectId) ?? []), at]);
    this.notices.push({ objectId, messageId, body, at });
  }
}

function findClassError(request: Content, content: Content) {
  for (const field of ["issuerName", "programName", "programLogo"]) {
    if (content[field] === undefined) return createRefusal(400, `${field}Missing`);
  }
  // Google requires this in every write, regardless of earlier writes.
  return request.reviewStatus === "UNDER_REVIEW" ? null : createRefusal(400, "invalidReviewStatus");
}

/** Returns the URLs of all pictures in a class or an object. */
function listPictures(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { sourceUri }: { sourceUri?: { uri?: string } } = value;
  const ownUrls = sourceUri?.uri === undefined ? [] : [sourceUri.uri];
  return [...ownUrls, ...Object.values(value).flatMap(listPictures)];
}

export function createRefusal(status: number, reason: string) {
  return {
    status,
    body: { error: { code: status, message: reason, errors: [{ reason, domain: "walletobjects" }] } },
  };
}
