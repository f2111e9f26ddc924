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
import { toOrdinals } from "../kit/ordinals.js";
import { createBehaviorTests } from "./behavior-tests.js";
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

const constantFrom =
  <T>(...values: readonly T[]): Values<T> =>
  () =>
    values;

/** Returns a field's value in each row, plus a string that no row has. */
const collectField =
  <Row>(rows: (world: World) => readonly Row[], field: (row: Row) => string): Values<string> =>
  (world) => [...rows(world).map(field), "none"];

const pickSome =
  <T>(values: Values<T>): Values<T[]> =>
  (world) => [world.pickSome(values(world), 5)];

/** The organizations to ask about: those that receive writes, and one that has no rows. */
export const organizationIds: readonly string[] = [...organizations, "initech"];
const userIds = collectField(
  ({ users }) => users,
  ({ id }) => id,
);
const externalIds = collectField(
  ({ users }) => users,
  ({ externalId }) => externalId ?? "",
);
const emailFolds = collectField(
  ({ users }) => users,
  ({ email }) => foldEmail(email ?? ""),
);
const userOrdinals = constantFrom(...Array.from({ length: 14 }, (_, ordinal) => ordinal));
const tagOrdinals = constantFrom(1, 2, 3, 4, 5, 6, 7, 99);
const slugs = collectField(
  ({ tags }) => tags,
  ({ slug }) => slug,
);
const templateIds = collectField(
  ({ templates }) => templates,
  ({ id }) => id,
);
const passIds = collectField(
  ({ passes }) => passes,
  ({ id }) => id,
);
const codes = collectField(
  ({ passes }) => passes,
  ({ code }) => code,
);
const entryIds = collectField(
  ({ entries }) => entries,
  ({ id }) => id,
);
const purchaseIds = collectField(
  ({ purchases }) => purchases,
  ({ id }) => id,
);
const sources = collectField(
  ({ purchases }) => purchases,
  ({ source }) => source,
);
const receipts = collectField(
  ({ purchases }) => purchases,
  ({ receipt }) => receipt,
);
const pointSequences = constantFrom(1, 2, 3, 4, 99);
const eventIds = collectField(
  ({ events }) => events,
  ({ id }) => id,
);
const endpointIds = collectField(
  ({ endpoints }) => endpoints,
  ({ id }) => id,
);
const deliveryIds = collectField(
  ({ deliveries }) => deliveries,
  ({ id }) => id,
);
const cardIds = collectField(
  ({ cards }) => cards,
  ({ passId }) => passId,
);
const messageDeliveryIds = collectField(
  ({ messageDeliveries }) => messageDeliveries,
  ({ id }) => id,
);
const messageIds = collectField(
  ({ messages }) => messages,
  ({ id }) => id,
);
const segmentSlugs = collectField(
  ({ segments }) => segments,
  ({ slug }) => slug,
);
const segmentIds = collectField(
  ({ segments }) => segments,
  ({ id }) => id,
);
const automationIds = collectField(
  ({ automations }) => automations,
  ({ id }) => id,
);
const mailOwners: Values<MailOwner> = (world) => [
  ...userIds(world).map((userId) => ({ userId })),
  ...passIds(world).map((passId) => ({ passId })),
];
const mailKinds: Values<readonly MessageDeliveryKind[]> = (world) => [
  ["pass", "link"],
  world.pickSome(["pass", "link", "confirm", "message", "test"], 4),
];
const after = constantFrom(-1, 0, 1, 2, 5);
const position = constantFrom(0, 1, 2, 4);
const limit = constantFrom(1, 2, 100);
/** A limit large enough for reads whose rows have no defined order. */
const maxLimit = constantFrom(1_000);
const firstCursor = constantFrom("");
const time = constantFrom(0, 2, 4, 6, 8, 11, 100);
const platform = constantFrom<"apple" | "google">("apple", "google");
const types = constantFrom<readonly string[] | null>(null, ["user.created"], ["pass.created", "none"], []);
const actors = constantFrom<ActorFilter>(
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
        search: world.pickOne([null, null, "ada", "a", "é", "50%_", "love", "@example.com", "none", "b "]),
        stamps: world.oneIn(3)
          ? {
              templateId: world.pickOne(templateIds(world)),
              min: world.pickOne([null, 0, 1, 2]),
              max: world.pickOne([null, 1, 3]),
            }
          : null,
        among: world.oneIn(3) ? Bitmap.of(world.pickSome([0, 1, 2, 3, 5, 8], 5)) : null,
        sort: {
          field: world.pickOne(["createdAt", "updatedAt", "email", "name", "externalId"]),
          direction: world.pickOne(["asc", "desc"]),
        },
        offset: world.pickOne([0, 0, 1, 3]),
        limit: world.pickOne([1, 2, 100]),
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
  matchBehavior: [(world) => [world.pickSome(createBehaviorTests(world), 6)]],
  findSegment: [segmentSlugs],
  listSegments: [],
  segmentMembers: [segmentIds],
  membersAmong: [pickSome(userOrdinals)],
  findSegmentFollower: [],
  silentChanges: [limit],
  segmentDays: [segmentIds, constantFrom(0, 2, 3), constantFrom(2, 3, 9)],
  findTemplate: [templateIds],
  listTemplates: [],
  findPastProgram: [templateIds, constantFrom(1, 2, 3)],
  templateHasPasses: [templateIds],
  findPass: [passIds],
  findPassByCode: [codes],
  passesByCode: [pickSome(codes)],
  holdersOf: [pickSome(passIds)],
  passesOfUsers: [pickSome(({ users }) => users)],
  findStampEntry: [passIds, entryIds],
  listStampEntries: [passIds, constantFrom(0, 1, 2), limit, actorsOrAll],
  countStampEntries: [passIds, actors],
  findPurchase: [sources, receipts],
  listPurchases: [
    (world) => [
      {
        userId: world.pickOne([null, null, ...userIds(world)]),
        passId: world.pickOne([null, null, ...passIds(world)]),
        source: world.pickOne([null, null, ...sources(world)]),
        from: world.pickOne([null, null, 0, 2, 4]),
        to: world.pickOne([null, null, 3, 6, 9]),
      },
    ],
    constantFrom(0, 0, 1),
    limit,
  ],
  purchasesBefore: [
    (world) => [
      world.pickOne([null, { at: world.randomBelow(10), id: world.pickOne([...purchaseIds(world)]) }]),
    ],
    limit,
  ],
  remainingPurchasesOf: [pickSome(userIds), constantFrom(0, 2, 4)],
  effectsOfPurchases: [pickSome(purchaseIds)],
  unitsOfPurchases: [passIds, constantFrom(0, 2, 4), constantFrom(4, 8, 100), purchaseIds],
  purchaseVisits: [passIds, limit],
  findPurchaseReturn: [
    purchaseIds,
    collectField(
      ({ returns }) => returns,
      ({ returnId }) => returnId,
    ),
  ],
  returnsOfPurchase: [purchaseIds],
  findPointCard: [passIds],
  passesWithPoints: [pickSome(passIds)],
  pointLotsEndingAfter: [pickSome(passIds), constantFrom(0, 2, 4)],
  openPointLots: [passIds],
  remainingPointLots: [passIds],
  pointLotsAt: [passIds, pickSome(pointSequences)],
  pointLotsOfPurchase: [passIds, purchaseIds],
  listPointEntries: [passIds, constantFrom(0, 1, 2), limit],
  pointEntriesOfPurchase: [passIds, sources, receipts],
  findPointEntry: [passIds, pointSequences],
  isPointEntryReversed: [passIds, pointSequences],
  passesWithDuePoints: [time, limit],
  holdersOfExpiringPoints: [
    (world) => [
      {
        templateId: world.pickOne(templateIds(world)),
        usableAt: world.pickOne([0, 2, 5]),
        after: world.pickOne([0, 2, 4]),
        until: world.pickOne([4, 8, 100]),
      },
    ],
    constantFrom(0, 0, 1),
    constantFrom(1, 3, 100),
    limit,
  ],
  sumPoints: [constantFrom(0, 2, 4), (world) => ["", ...passIds(world)], constantFrom(1, 2, 100)],
  listAudit: [position, limit],
  newestAudit: [],
  listSubjects: [constantFrom(...subjectColumns), firstCursor, maxLimit],
  newestEventPosition: [],
  listEvents: [
    types,
    position,
    limit,
    actorsOrAll,
    (world) => [undefined, null, ["usr"], world.pickSome(["usr", "wp", "less", "none"], 3)],
  ],
  listEventHeads: [types, position, limit],
  eventsAt: [pickSome(constantFrom(1, 2, 3, 4, 9))],
  findEventIn: [eventIds, constantFrom({ after: 0, to: 5_000 }, { after: 1, to: 3 }, { after: 2, to: 2 })],
  readDayCounts: [constantFrom(1, 4, 5, 6), constantFrom(5, 6, 10)],
  listApiTokens: [],
  findApiToken: [
    collectField(
      ({ apiTokens }) => apiTokens,
      ({ id }) => id,
    ),
  ],
  findCooldown: [
    collectField(
      ({ marks }) => marks,
      ({ name }) => name,
    ),
  ],
  findIdempotencyRecord: [
    collectField(
      ({ answers }) => answers,
      ({ keyHash }) => keyHash,
    ),
  ],
  listPeople: [],
  findPerson: [
    collectField(
      ({ people }) => people,
      ({ id }) => id,
    ),
  ],
  listApps: [],
  listGrants: [],
  findGrant: [
    collectField(
      ({ grants }) => grants,
      ({ id }) => id,
    ),
  ],
  grantEndsAt: [
    collectField(
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
        before: world.oneIn(2) ? world.pickOne(world.deliveries) : null,
        status: world.pickOne([undefined, "pending", "delivered", "failed"] as const),
        limit: world.pickOne([1, 2, 100]),
      },
    ],
  ],
  findDelivery: [deliveryIds],
  attemptsOf: [pickSome(deliveryIds)],
  pendingDeliveries: [],
  findWalletCard: [cardIds],
  walletCardsOf: [pickSome(cardIds)],
  walletCardsOfTemplate: [(world) => [null, ...templateIds(world)], firstCursor, limit],
  walletCardsWithMessage: [messageIds, (world) => ["", ...cardIds(world)], limit],
  walletDevicesOf: [pickSome(cardIds)],
  listPictures: [],
  findQueue: [constantFrom(...jobKinds)],
  countDueJobs: [
    constantFrom(...jobKinds),
    constantFrom("apple", "google", "pass", "message", "run", "date"),
    time,
    limit,
  ],
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
        status: world.pickOne([null, null, "PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED"] as const),
        page: world.pickOne([0, 0, 1]),
        size: world.pickOne([1, 2, 100]),
      },
    ],
  ],
  recentMailsOf: [mailOwners, mailKinds, time],
  messageDeliveriesWith: [
    messageIds,
    constantFrom(...messageDeliveryStatuses),
    (world) => [null, ...world.messageDeliveries],
    limit,
  ],
  recentMessagesOf: [pickSome(userIds), time],
  findMessage: [messageIds],
  messagesById: [pickSome(messageIds)],
  listMessages: [
    (world) => [
      {
        status: world.pickOne([null, null, ...messageStatuses]),
        page: world.pickOne([0, 0, 1]),
        size: world.pickOne([1, 2, 100]),
      },
    ],
  ],
  messagesWithRecipient: [
    (world) => userIds(world).map((id) => `"${id}"`),
    (world) => ["", ...messageIds(world)],
    limit,
  ],
  messageAudience: [messageIds, constantFrom(0, 1, 7, 32, 15_360, 46_100), limit],
  findAutomation: [automationIds],
  listAutomations: [],
  automationVersion: [automationIds, constantFrom(1, 2, 3, 4)],
  countPastAutomations: [automationIds],
  findAutomationRun: [
    collectField(
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
        status: world.pickOne([null, null, ...automationRunStatuses]),
        page: world.pickOne([0, 0, 1]),
        size: world.pickOne([1, 2, 100]),
      },
    ],
  ],
  dueAutomationRuns: [automationIds, time, limit],
  nextAutomationRunAt: [automationIds],
  countAutomationRuns: [userIds, time],
  findAutomationCompletion: [automationIds, userIds],
  countGrantsBy: [constantFrom("ada", "Ada", "grace")],
  countOf: [
    constantFrom<CountableKind>(
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
  organizationsWithDuePoints: [time, constantFrom(1, 2, 9)],
  organizationsWithTagRemovals: [limit],
  organizationsWithSavedSegments: [constantFrom("", "acme", "b"), limit],
  organizationsToFollow: [time, constantFrom(9)],
  organizationOfTemplate: [templateIds],
  organizationOfCode: [codes],
  findApiTokensByHash: [
    pickSome(
      collectField(
        ({ apiTokens }) => apiTokens,
        ({ hash }) => hash,
      ),
    ),
  ],
  peopleByEmail: [
    collectField(
      ({ people }) => people,
      ({ emailFold }) => emailFold,
    ),
    constantFrom(1, 100),
  ],
  peopleById: [
    collectField(
      ({ people }) => people,
      ({ id }) => id,
    ),
    constantFrom(1, 100),
  ],
  hasPeople: [],
  findApp: [
    collectField(
      ({ apps }) => apps,
      ({ id }) => id,
    ),
  ],
  findGrantTokenByHash: [
    collectField(
      ({ grantTokens }) => grantTokens,
      ({ hash }) => hash,
    ),
  ],
  endpointsWithDueWork: [time, maxLimit, constantFrom(0, 1_700_000_000_000, 1_800_000_000_000)],
  webhookEndpointsAfter: [
    (world) => [null, { organizationId: "acme", endpointId: world.pickOne(endpointIds(world)) }],
    limit,
  ],
  findWalletPass: [cardIds],
  walletPassesAfter: [(world) => ["", ...cardIds(world)], limit],
  walletCardsAfter: [(world) => ["", ...cardIds(world)], limit],
  walletCardsOfDevice: [
    platform,
    collectField(
      ({ devices }) => devices,
      ({ deviceId }) => deviceId,
    ),
    limit,
  ],
  walletDevicesOfToken: [
    platform,
    collectField(
      ({ devices }) => devices,
      ({ pushToken }) => pushToken ?? "",
    ),
    limit,
  ],
  queuesWithDueJobs: [
    constantFrom<JobKind>(walletJobs, mailJobs, messageJobs, automationJobs),
    time,
    maxLimit,
  ],
  organizationOfMailToken: [
    collectField(
      ({ mailQueues }) => mailQueues,
      ({ token }) => token,
    ),
  ],
  mailQueuesAfter: [constantFrom("", "acme", "b"), limit],
  organizationsWithWallets: [constantFrom("", "acme", "b"), limit],
  findPicture: [
    collectField(
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
 * @param candidateIds the organizations to ask about.
 */
export function pickQuestions(
  world: World,
  times: number,
  candidateIds: readonly string[] = organizationIds,
): Question[] {
  const chooseArgs = (values: readonly Values<unknown>[]) => values.map((each) => world.pickOne(each(world)));
  const readQuestions = Object.entries<readonly Values<unknown>[]>(reads).flatMap(([read, values]) =>
    Array.from({ length: times }, () => ({
      organizationId: world.pickOne(candidateIds),
      method: read as ReadName,
      args: chooseArgs(values),
    })),
  );
  const lookUpQuestions = Object.entries<readonly Values<unknown>[]>(lookUps).flatMap(([lookUp, values]) =>
    Array.from({ length: values.length < 1 ? 1 : times }, () => ({
      organizationId: null,
      method: lookUp as LookUpName,
      args: chooseArgs(values),
    })),
  );
  return [...readQuestions, ...lookUpQuestions];
}

/**
 * Calls a read method and returns its result in a comparable form. If the method doesn't define an order, the result is sorted.
 * @param reader a reader of the question's organization.
 */
export function* runQuestion(
  reader: StorageReader,
  { organizationId, method, args }: Question,
): Step<unknown> {
  if (method === "readTagSets") {
    const [slugs] = args as Parameters<StorageReader["readTagSets"]>;
    return toOrdinals(yield* reader.readTagSets(slugs));
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
export const sceneQuestions: readonly Question[] = pickQuestions(new World(0), 4);

/**
 * Calls the read methods in {@link sceneQuestions} on one organization's reader and returns their results, so that tests can
 * compare two stores that contain the scene.
 */
export function* runSceneQuestions(reader: StorageReader): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const question of sceneQuestions) answers.push(yield* runQuestion(reader, question));
  return answers;
}

/** Does the same as {@link runSceneQuestions} for each organization of a store. */
export function* runAllSceneQuestions(storage: StorageAdapter): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const id of organizationIds) answers.push(yield* runSceneQuestions(storage.reader(id)));
  return answers;
}

/** Calls the read methods one at a time, each on its organization's reader, and returns their results in order. */
export function* runQuestions(
  readerOf: (organizationId: string) => StorageReader,
  questions: readonly Question[],
): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) {
    answers.push(yield* runQuestion(readerOf(question.organizationId ?? organizations[0]), question));
  }
  return answers;
}
