import type { Step } from "../../../../src/base/concurrency/step.js";
import { foldEmail } from "../../../../src/base/values/email.js";
import { type ActorFilter, subjectColumns } from "../../../../src/storage/actors.js";
import {
  type AutomationRunOwner,
  automationJobs,
  automationRunStatuses,
} from "../../../../src/storage/automations.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { CountableKind } from "../../../../src/storage/counts.js";
import type { JobKind } from "../../../../src/storage/jobs.js";
import {
  type MailOwner,
  type MessageDeliveryKind,
  type MessageDeliveryOwner,
  mailJobs,
  messageDeliveryStatuses,
} from "../../../../src/storage/mail.js";
import { messageJobs, messageStatuses } from "../../../../src/storage/messages.js";
import type {
  StorageAdapter,
  StorageLookUps,
  StorageReader,
} from "../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import { ordinalsIn } from "../kit/ordinals.js";
import { behaviorTests } from "./behavior-tests.js";
import { organizations, World } from "./world.js";
import { jobKinds } from "./writes/jobs.js";

/** The values from which an argument is chosen. */
type Values<T> = (world: World) => readonly T[];

type Reads = Omit<StorageReader, "all">;

type ReadName = keyof Reads;

type LookUpName = keyof StorageLookUps;

type ValuesOf<Args extends readonly unknown[]> = { readonly [At in keyof Args]-?: Values<Args[At]> };

/** The possible values for each argument of each method. */
type Arguments<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => unknown ? ValuesOf<Args> : never;
};

const of =
  <T>(...values: readonly T[]): Values<T> =>
  () =>
    values;

/** Returns a field's value in each row, plus a string that no row has. */
const valuesOfEach =
  <Row>(rows: (world: World) => readonly Row[], field: (row: Row) => string): Values<string> =>
  (world) => [...rows(world).map(field), "none"];

const pickSome =
  <T>(values: Values<T>): Values<T[]> =>
  (world) => [world.some(values(world), 5)];

/** The organizations to ask about: those that receive writes, and one that has no rows. */
export const organizationIds: readonly string[] = [...organizations, "initech"];
const userIds = valuesOfEach(
  ({ users }) => users,
  ({ id }) => id,
);
const externalIds = valuesOfEach(
  ({ users }) => users,
  ({ externalId }) => externalId ?? "",
);
const emailFolds = valuesOfEach(
  ({ users }) => users,
  ({ email }) => foldEmail(email ?? ""),
);
const userOrdinals = of(...Array.from({ length: 14 }, (_, ordinal) => ordinal));
const tagOrdinals = of(1, 2, 3, 4, 5, 6, 7, 99);
const slugs = valuesOfEach(
  ({ tags }) => tags,
  ({ slug }) => slug,
);
const templateIds = valuesOfEach(
  ({ templates }) => templates,
  ({ id }) => id,
);
const passIds = valuesOfEach(
  ({ passes }) => passes,
  ({ id }) => id,
);
const codes = valuesOfEach(
  ({ passes }) => passes,
  ({ code }) => code,
);
const entryIds = valuesOfEach(
  ({ entries }) => entries,
  ({ id }) => id,
);
const purchaseIds = valuesOfEach(
  ({ purchases }) => purchases,
  ({ id }) => id,
);
const sources = valuesOfEach(
  ({ purchases }) => purchases,
  ({ source }) => source,
);
const receipts = valuesOfEach(
  ({ purchases }) => purchases,
  ({ receipt }) => receipt,
);
const pointSequences = of(1, 2, 3, 4, 99);
const eventIds = valuesOfEach(
  ({ events }) => events,
  ({ id }) => id,
);
const endpointIds = valuesOfEach(
  ({ endpoints }) => endpoints,
  ({ id }) => id,
);
const deliveryIds = valuesOfEach(
  ({ deliveries }) => deliveries,
  ({ id }) => id,
);
const cardIds = valuesOfEach(
  ({ cards }) => cards,
  ({ passId }) => passId,
);
const messageDeliveryIds = valuesOfEach(
  ({ messageDeliveries }) => messageDeliveries,
  ({ id }) => id,
);
const messageIds = valuesOfEach(
  ({ messages }) => messages,
  ({ id }) => id,
);
const segmentSlugs = valuesOfEach(
  ({ segments }) => segments,
  ({ slug }) => slug,
);
const segmentIds = valuesOfEach(
  ({ segments }) => segments,
  ({ id }) => id,
);
const automationIds = valuesOfEach(
  ({ automations }) => automations,
  ({ id }) => id,
);
const mailOwners: Values<MailOwner> = (world) => [
  ...userIds(world).map((userId) => ({ userId })),
  ...passIds(world).map((passId) => ({ passId })),
];
const mailKinds: Values<readonly MessageDeliveryKind[]> = (world) => [
  ["pass", "link"],
  world.some(["pass", "link", "confirm", "message", "test"], 4),
];
const after = of(-1, 0, 1, 2, 5);
const position = of(0, 1, 2, 4);
const limit = of(1, 2, 100);
/** A limit large enough for reads whose rows have no defined order. */
const noLimit = of(1_000);
const begin = of("");
const time = of(0, 2, 4, 6, 8, 11, 100);
const platform = of<"apple" | "google">("apple", "google");
const types = of<readonly string[] | null>(null, ["user.created"], ["pass.created", "none"], []);
const actors = of<ActorFilter>(
  { parts: [], subject: null },
  { parts: [], subject: "ada" },
  { parts: ['"kind":"token"'], subject: null },
  { parts: ['"kind":"library"'], subject: null },
  { parts: ['"kind":"token"', '"id":"akt_1"'], subject: "ada" },
);
const actorsOrAll: Values<ActorFilter | null | undefined> = (world) => [undefined, null, ...actors(world)];

const reads: Arguments<Reads> = {
  findUser: [userIds],
  findUserByExternalId: [externalIds],
  findUserByEmail: [emailFolds],
  listUsers: [after, limit],
  usersById: [pickSome(userIds)],
  usersByExternalId: [pickSome(externalIds)],
  usersByEmail: [pickSome(emailFolds)],
  usersByOrdinal: [pickSome(userOrdinals)],
  listContacts: [
    (world) => [
      {
        search: world.one([null, null, "ada", "a", "é", "50%_", "love", "@example.com", "none", "b "]),
        stamps: world.rarely(3)
          ? {
              templateId: world.one(templateIds(world)),
              min: world.one([null, 0, 1, 2]),
              max: world.one([null, 1, 3]),
            }
          : null,
        among: world.rarely(3) ? Bitmap.of(world.some([0, 1, 2, 3, 5, 8], 5)) : null,
        sort: {
          field: world.one(["createdAt", "updatedAt", "email", "name", "externalId"]),
          direction: world.one(["asc", "desc"]),
        },
        offset: world.one([0, 0, 1, 3]),
        limit: world.one([1, 2, 100]),
      },
    ],
  ],
  findTag: [slugs],
  tagOfOrdinal: [tagOrdinals],
  listTags: [],
  tagsOfUser: [userOrdinals],
  slugsOfUsers: [pickSome(userOrdinals)],
  assignmentsOfUsers: [pickSome(userOrdinals)],
  usersOfTag: [tagOrdinals, after, limit],
  tagRemovals: [],
  holdersOfRemovedTags: [],
  readTagSets: [pickSome(slugs)],
  verifyTagSets: [],
  matchBehavior: [(world) => [world.some(behaviorTests(world), 6)]],
  findSegment: [segmentSlugs],
  listSegments: [],
  segmentMembers: [segmentIds],
  membersAmong: [pickSome(userOrdinals)],
  findSegmentFollower: [],
  silentChanges: [limit],
  segmentDays: [segmentIds, of(0, 2, 3), of(2, 3, 9)],
  findTemplate: [templateIds],
  listTemplates: [],
  findPastProgram: [templateIds, of(1, 2, 3)],
  templateHasPasses: [templateIds],
  findPass: [passIds],
  findPassByCode: [codes],
  passesByCode: [pickSome(codes)],
  holdersOf: [pickSome(passIds)],
  passesOfUsers: [pickSome(({ users }) => users)],
  findStampEntry: [passIds, entryIds],
  listStampEntries: [passIds, of(0, 1, 2), limit, actorsOrAll],
  countStampEntries: [passIds, actors],
  findPurchase: [sources, receipts],
  listPurchases: [
    (world) => [
      {
        userId: world.one([null, null, ...userIds(world)]),
        passId: world.one([null, null, ...passIds(world)]),
        source: world.one([null, null, ...sources(world)]),
        from: world.one([null, null, 0, 2, 4]),
        to: world.one([null, null, 3, 6, 9]),
      },
    ],
    of(0, 0, 1),
    limit,
  ],
  purchasesBefore: [
    (world) => [world.one([null, { at: world.below(10), id: world.one([...purchaseIds(world)]) }])],
    limit,
  ],
  remainingPurchasesOf: [pickSome(userIds), of(0, 2, 4)],
  effectsOfPurchases: [pickSome(purchaseIds)],
  unitsOfPurchases: [passIds, of(0, 2, 4), of(4, 8, 100), purchaseIds],
  purchaseVisits: [passIds, limit],
  findPurchaseReturn: [
    purchaseIds,
    valuesOfEach(
      ({ returns }) => returns,
      ({ returnId }) => returnId,
    ),
  ],
  returnsOfPurchase: [purchaseIds],
  findPointCard: [passIds],
  passesWithPoints: [pickSome(passIds)],
  pointLotsEndingAfter: [pickSome(passIds), of(0, 2, 4)],
  openPointLots: [passIds],
  remainingPointLots: [passIds],
  pointLotsAt: [passIds, pickSome(pointSequences)],
  pointLotsOfPurchase: [passIds, purchaseIds],
  listPointEntries: [passIds, of(0, 1, 2), limit],
  pointEntriesOfPurchase: [passIds, sources, receipts],
  findPointEntry: [passIds, pointSequences],
  isPointEntryReversed: [passIds, pointSequences],
  passesWithDuePoints: [time, limit],
  holdersOfExpiringPoints: [
    (world) => [
      {
        templateId: world.one(templateIds(world)),
        usableAt: world.one([0, 2, 5]),
        after: world.one([0, 2, 4]),
        until: world.one([4, 8, 100]),
      },
    ],
    of(0, 0, 1),
    of(1, 3, 100),
    limit,
  ],
  sumPoints: [of(0, 2, 4), (world) => ["", ...passIds(world)], of(1, 2, 100)],
  listAudit: [position, limit],
  newestAudit: [],
  listSubjects: [of(...subjectColumns), begin, noLimit],
  newestEventPosition: [],
  listEvents: [
    types,
    position,
    limit,
    actorsOrAll,
    (world) => [undefined, null, ["usr"], world.some(["usr", "wp", "less", "none"], 3)],
  ],
  listEventHeads: [types, position, limit],
  eventsAt: [pickSome(of(1, 2, 3, 4, 9))],
  findEventIn: [eventIds, of({ after: 0, to: 5_000 }, { after: 1, to: 3 }, { after: 2, to: 2 })],
  readDayCounts: [of(1, 4, 5, 6), of(5, 6, 10)],
  listApiTokens: [],
  findApiToken: [
    valuesOfEach(
      ({ apiTokens }) => apiTokens,
      ({ id }) => id,
    ),
  ],
  findCooldown: [
    valuesOfEach(
      ({ marks }) => marks,
      ({ name }) => name,
    ),
  ],
  findIdempotencyRecord: [
    valuesOfEach(
      ({ answers }) => answers,
      ({ keyHash }) => keyHash,
    ),
  ],
  listPeople: [],
  findPerson: [
    valuesOfEach(
      ({ people }) => people,
      ({ id }) => id,
    ),
  ],
  listApps: [],
  listGrants: [],
  findGrant: [
    valuesOfEach(
      ({ grants }) => grants,
      ({ id }) => id,
    ),
  ],
  grantEndsAt: [
    valuesOfEach(
      ({ grants }) => grants,
      ({ id }) => id,
    ),
  ],
  listWebhookEndpoints: [],
  findWebhookEndpoint: [endpointIds],
  listDeliveries: [
    endpointIds,
    (world) => [
      {
        before: world.rarely(2) ? world.one(world.deliveries) : null,
        status: world.one([undefined, "pending", "delivered", "failed"] as const),
        limit: world.one([1, 2, 100]),
      },
    ],
  ],
  findDelivery: [deliveryIds],
  attemptsOf: [pickSome(deliveryIds)],
  pendingDeliveries: [],
  findWalletCard: [cardIds],
  walletCardsOf: [pickSome(cardIds)],
  walletCardsOfTemplate: [(world) => [null, ...templateIds(world)], begin, limit],
  walletCardsWithMessage: [messageIds, (world) => ["", ...cardIds(world)], limit],
  walletDevicesOf: [pickSome(cardIds)],
  listPictures: [],
  findQueue: [of(...jobKinds)],
  countDueJobs: [of(...jobKinds), of("apple", "google", "pass", "message", "run", "date"), time, limit],
  findSubscription: [userIds],
  subscriptionsOf: [pickSome(userIds)],
  findSettings: [],
  findMessageSettings: [],
  findMessageDelivery: [messageDeliveryIds],
  messageDeliveriesById: [pickSome(messageDeliveryIds)],
  messageDeliveriesOf: [
    (world): readonly MessageDeliveryOwner[] => [
      ...mailOwners(world),
      ...messageIds(world).map((messageId) => ({ messageId })),
    ],
    (world) => [
      {
        status: world.one([null, null, "PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED"] as const),
        page: world.one([0, 0, 1]),
        size: world.one([1, 2, 100]),
      },
    ],
  ],
  recentMailsOf: [mailOwners, mailKinds, time],
  messageDeliveriesWith: [
    messageIds,
    of(...messageDeliveryStatuses),
    (world) => [null, ...world.messageDeliveries],
    limit,
  ],
  recentMessagesOf: [pickSome(userIds), time],
  findMessage: [messageIds],
  messagesById: [pickSome(messageIds)],
  listMessages: [
    (world) => [
      {
        status: world.one([null, null, ...messageStatuses]),
        page: world.one([0, 0, 1]),
        size: world.one([1, 2, 100]),
      },
    ],
  ],
  messagesWithRecipient: [
    (world) => userIds(world).map((id) => `"${id}"`),
    (world) => ["", ...messageIds(world)],
    limit,
  ],
  messageAudience: [messageIds, of(0, 1, 7, 32, 15_360, 46_100), limit],
  findAutomation: [automationIds],
  listAutomations: [],
  automationVersion: [automationIds, of(1, 2, 3, 4)],
  countPastAutomations: [automationIds],
  findAutomationRun: [
    valuesOfEach(
      ({ runs }) => runs,
      ({ id }) => id,
    ),
  ],
  listAutomationRuns: [
    (world): readonly AutomationRunOwner[] => [
      ...userIds(world).map((userId) => ({ userId })),
      ...automationIds(world).map((automationId) => ({ automationId })),
    ],
    (world) => [
      {
        status: world.one([null, null, ...automationRunStatuses]),
        page: world.one([0, 0, 1]),
        size: world.one([1, 2, 100]),
      },
    ],
  ],
  dueAutomationRuns: [automationIds, time, limit],
  nextAutomationRunAt: [automationIds],
  countAutomationRuns: [userIds, time],
  findAutomationCompletion: [automationIds, userIds],
  countGrantsBy: [of("ada", "Ada", "grace")],
  countOf: [
    of<CountableKind>(
      "apiTokens",
      "apps",
      "automations",
      "grants",
      "messages",
      "pendingMessageDeliveries",
      "people",
      "scheduledMessages",
      "segments",
      "sendingMessages",
      "tags",
      "templates",
      "waitingAutomationRuns",
      "webhookEndpoints",
    ),
  ],
};

const lookUps: Arguments<StorageLookUps> = {
  organizationsWithDuePoints: [time, of(1, 2, 9)],
  organizationsWithTagRemovals: [limit],
  organizationsWithSavedSegments: [of("", "acme", "b"), limit],
  organizationsToFollow: [time, of(9)],
  organizationOfTemplate: [templateIds],
  organizationOfCode: [codes],
  findApiTokensByHash: [
    pickSome(
      valuesOfEach(
        ({ apiTokens }) => apiTokens,
        ({ hash }) => hash,
      ),
    ),
  ],
  peopleByEmail: [
    valuesOfEach(
      ({ people }) => people,
      ({ emailFold }) => emailFold,
    ),
    of(1, 100),
  ],
  peopleById: [
    valuesOfEach(
      ({ people }) => people,
      ({ id }) => id,
    ),
    of(1, 100),
  ],
  hasPeople: [],
  findApp: [
    valuesOfEach(
      ({ apps }) => apps,
      ({ id }) => id,
    ),
  ],
  findGrantTokenByHash: [
    valuesOfEach(
      ({ grantTokens }) => grantTokens,
      ({ hash }) => hash,
    ),
  ],
  endpointsWithDueWork: [time, noLimit, of(0, 1_700_000_000_000, 1_800_000_000_000)],
  webhookEndpointsAfter: [
    (world) => [null, { organizationId: "acme", endpointId: world.one(endpointIds(world)) }],
    limit,
  ],
  findWalletPass: [cardIds],
  walletPassesAfter: [(world) => ["", ...cardIds(world)], limit],
  walletCardsAfter: [(world) => ["", ...cardIds(world)], limit],
  walletCardsOfDevice: [
    platform,
    valuesOfEach(
      ({ devices }) => devices,
      ({ deviceId }) => deviceId,
    ),
    limit,
  ],
  walletDevicesOfToken: [
    platform,
    valuesOfEach(
      ({ devices }) => devices,
      ({ pushToken }) => pushToken ?? "",
    ),
    limit,
  ],
  queuesWithDueJobs: [of<JobKind>(walletJobs, mailJobs, messageJobs, automationJobs), time, noLimit],
  organizationOfMailToken: [
    valuesOfEach(
      ({ mailQueues }) => mailQueues,
      ({ token }) => token,
    ),
  ],
  mailQueuesAfter: [of("", "acme", "b"), limit],
  organizationsWithWallets: [of("", "acme", "b"), limit],
  findPicture: [
    valuesOfEach(
      ({ pictures }) => pictures,
      ({ hash }) => hash,
    ),
  ],
  isEmpty: [],
};

/** The reads whose rows have no defined order, or an order that leaves ties to the storage. */
const unordered: ReadonlySet<string> = new Set<ReadName | LookUpName>([
  "findApiTokensByHash",
  "passesByCode",
  "eventsAt",
  "attemptsOf",
  "listSubjects",
  "endpointsWithDueWork",
  "queuesWithDueJobs",
  "recentMessagesOf",
]);

/** A read method and the arguments to call it with. */
export interface Question {
  /** The organization to ask about, or `null` for a look-up across all organizations. */
  readonly organizationId: string | null;
  readonly method: ReadName | LookUpName;
  readonly args: readonly unknown[];
}

/**
 * Builds `times` questions per read method, with randomly chosen arguments. A method without parameters gets one per organization.
 * @param of the organizations to ask about.
 */
export function pickQuestions(
  world: World,
  times: number,
  of: readonly string[] = organizationIds,
): Question[] {
  const chooseArgs = (values: readonly Values<unknown>[]) => values.map((each) => world.one(each(world)));
  const ofReads = Object.entries<readonly Values<unknown>[]>(reads).flatMap(([read, values]) =>
    Array.from({ length: times }, () => ({
      organizationId: world.one(of),
      method: read as ReadName,
      args: chooseArgs(values),
    })),
  );
  const ofLookUps = Object.entries<readonly Values<unknown>[]>(lookUps).flatMap(([lookUp, values]) =>
    Array.from({ length: values.length < 1 ? 1 : times }, () => ({
      organizationId: null,
      method: lookUp as LookUpName,
      args: chooseArgs(values),
    })),
  );
  return [...ofReads, ...ofLookUps];
}

/**
 * Calls a read method and returns its result in a comparable form. If the method doesn't define an order, the result is sorted.
 * @param reader a reader of the question's organization.
 */
export function* answerTo(reader: StorageReader, { organizationId, method, args }: Question): Step<unknown> {
  if (method === "readTagSets") {
    const [slugs] = args as Parameters<StorageReader["readTagSets"]>;
    return ordinalsIn(yield* reader.readTagSets(slugs));
  }
  if (method === "matchBehavior") {
    const [tests] = args as Parameters<StorageReader["matchBehavior"]>;
    return (yield* reader.matchBehavior(tests)).map((set) => set.slice(0, set.count()));
  }
  if (method === "membersAmong") {
    const [ordinals] = args as Parameters<StorageReader["membersAmong"]>;
    const nonEmpty = [...(yield* reader.membersAmong(ordinals))].filter(([, members]) => members.size > 0);
    return nonEmpty.map(([segmentId, members]) => [segmentId, [...members].sort((a, b) => a - b)]).sort();
  }
  if (method === "holdersOf") {
    const [passIds] = args as Parameters<StorageReader["holdersOf"]>;
    return [...(yield* reader.holdersOf(passIds))].sort();
  }
  if (method === "passesOfUsers") {
    // A user's ordinal differs between organizations.
    const [holders] = args as Parameters<StorageReader["passesOfUsers"]>;
    const users = yield* reader.usersById(holders.map((holder) => holder.id));
    return yield* reader.passesOfUsers(users);
  }
  const step: Step<unknown> =
    organizationId === null
      ? Reflect.apply(reader.all[method as LookUpName], reader.all, args)
      : Reflect.apply(reader[method as ReadName], reader, args);
  const answer = yield* step;
  // Equal sets can differ in chunks without any user.
  if (answer instanceof Bitmap) return answer.from(0, Number.POSITIVE_INFINITY);
  if (answer instanceof Map) return [...answer].sort(compareText);
  return Array.isArray(answer) && unordered.has(method) ? answer.toSorted(compareText) : answer;
}

function compareText(one: unknown, other: unknown): number {
  const [a, b] = [formatValue(one), formatValue(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Formats a value so that equal values give the same string, regardless of key order. */
function formatValue(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort())
      : item,
  );
}

/** Questions for every read method, with arguments that refer to rows in the scene. */
export const questionsOfScene: readonly Question[] = pickQuestions(new World(0), 4);

/**
 * Calls the read methods in {@link questionsOfScene} on one organization's reader and returns their results, so that tests can
 * compare two stores that contain the scene.
 */
export function* everyRead(reader: StorageReader): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questionsOfScene) answers.push(yield* answerTo(reader, question));
  return answers;
}

/** Does the same as {@link everyRead} for each organization of a store. */
export function* everyReadOfAll(storage: StorageAdapter): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const id of organizationIds) answers.push(yield* everyRead(storage.reader(id)));
  return answers;
}

/** Calls the read methods one at a time, each on its organization's reader, and returns their results in order. */
export function* answersTo(
  readerOf: (organizationId: string) => StorageReader,
  questions: readonly Question[],
): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) {
    answers.push(yield* answerTo(readerOf(question.organizationId ?? organizations[0]), question));
  }
  return answers;
}
