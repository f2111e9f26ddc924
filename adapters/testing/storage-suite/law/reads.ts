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
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import { ordinalsIn } from "../kit/ordinals.js";
import { behaviorTests } from "./behavior-tests.js";
import { organizations, World } from "./world.js";

/** The values from which an argument is chosen. */
type Values<T> = (world: World) => readonly T[];

type ReadName = keyof StorageReader;

type ValuesOf<Args extends readonly unknown[]> = { readonly [At in keyof Args]-?: Values<Args[At]> };

/** The possible values for each argument of each read. */
type Arguments = { readonly [Name in ReadName]: ValuesOf<Parameters<StorageReader[Name]>> };

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

const organization = of(...organizations, "initech");
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

const reads: Arguments = {
  findUser: [organization, userIds],
  findUserByExternalId: [organization, externalIds],
  findUserByEmail: [organization, emailFolds],
  listUsers: [organization, after, limit],
  usersById: [organization, pickSome(userIds)],
  usersByExternalId: [organization, pickSome(externalIds)],
  usersByEmail: [organization, pickSome(emailFolds)],
  usersByOrdinal: [organization, pickSome(userOrdinals)],
  listContacts: [
    organization,
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
  findTag: [organization, slugs],
  tagOfOrdinal: [organization, tagOrdinals],
  listTags: [organization],
  tagsOfUser: [organization, userOrdinals],
  slugsOfUsers: [organization, pickSome(userOrdinals)],
  assignmentsOfUsers: [organization, pickSome(userOrdinals)],
  usersOfTag: [organization, tagOrdinals, after, limit],
  tagRemovals: [organization],
  holdersOfRemovedTags: [organization],
  organizationsWithTagRemovals: [limit],
  readTagSets: [organization, pickSome(slugs)],
  verifyTagSets: [organization],
  matchBehavior: [organization, (world) => [world.some(behaviorTests(world), 6)]],
  findSegment: [organization, segmentSlugs],
  listSegments: [organization],
  segmentMembers: [organization, segmentIds],
  membersAmong: [organization, pickSome(userOrdinals)],
  findSegmentFollower: [organization],
  organizationsWithSavedSegments: [of("", "acme", "b"), limit],
  organizationsToFollow: [time, of(9)],
  silentChanges: [organization, limit],
  segmentDays: [organization, segmentIds, of(0, 2, 3), of(2, 3, 9)],
  findTemplate: [organization, templateIds],
  organizationOfTemplate: [templateIds],
  listTemplates: [organization],
  templateHasPasses: [organization, templateIds],
  findPass: [organization, passIds],
  findPassByCode: [organization, codes],
  passesByCode: [organization, pickSome(codes)],
  holdersOf: [organization, pickSome(passIds)],
  organizationOfCode: [codes],
  passesOfUsers: [organization, pickSome(({ users }) => users)],
  findStampEntry: [organization, passIds, entryIds],
  listStampEntries: [organization, passIds, of(0, 1, 2), limit, actorsOrAll],
  countStampEntries: [organization, passIds, actors],
  listAudit: [organization, position, limit],
  newestAudit: [organization],
  listSubjects: [organization, of(...subjectColumns), begin, noLimit],
  newestEventPosition: [organization],
  listEvents: [
    organization,
    types,
    position,
    limit,
    actorsOrAll,
    (world) => [undefined, null, ["usr"], world.some(["usr", "wp", "less", "none"], 3)],
  ],
  listEventHeads: [organization, types, position, limit],
  eventsAt: [organization, pickSome(of(1, 2, 3, 4, 9))],
  findEventIn: [
    organization,
    eventIds,
    of({ after: 0, to: 5_000 }, { after: 1, to: 3 }, { after: 2, to: 2 }),
  ],
  readDayCounts: [organization, of(1, 4, 5, 6), of(5, 6, 10)],
  listApiTokens: [organization],
  findApiToken: [
    organization,
    valuesOfEach(
      ({ apiTokens }) => apiTokens,
      ({ id }) => id,
    ),
  ],
  findApiTokensByHash: [
    pickSome(
      valuesOfEach(
        ({ apiTokens }) => apiTokens,
        ({ hash }) => hash,
      ),
    ),
  ],
  findCooldown: [
    organization,
    valuesOfEach(
      ({ marks }) => marks,
      ({ name }) => name,
    ),
  ],
  findIdempotencyRecord: [
    organization,
    valuesOfEach(
      ({ answers }) => answers,
      ({ keyHash }) => keyHash,
    ),
  ],
  listPeople: [organization],
  findPerson: [
    organization,
    valuesOfEach(
      ({ people }) => people,
      ({ id }) => id,
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
  listApps: [organization],
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
  listGrants: [organization],
  findGrant: [
    organization,
    valuesOfEach(
      ({ grants }) => grants,
      ({ id }) => id,
    ),
  ],
  grantEndsAt: [
    organization,
    valuesOfEach(
      ({ grants }) => grants,
      ({ id }) => id,
    ),
  ],
  listWebhookEndpoints: [organization],
  findWebhookEndpoint: [organization, endpointIds],
  listDeliveries: [
    organization,
    endpointIds,
    (world) => [
      {
        before: world.rarely(2) ? world.one(world.deliveries) : null,
        status: world.one([undefined, "pending", "delivered", "failed"] as const),
        limit: world.one([1, 2, 100]),
      },
    ],
  ],
  findDelivery: [organization, deliveryIds],
  attemptsOf: [organization, pickSome(deliveryIds)],
  pendingDeliveries: [organization],
  endpointsWithDueWork: [time, noLimit, of(0, 1_700_000_000_000, 1_800_000_000_000)],
  webhookEndpointsAfter: [
    (world) => [null, { organizationId: "acme", endpointId: world.one(endpointIds(world)) }],
    limit,
  ],
  findWalletCard: [organization, cardIds],
  walletCardsOf: [organization, pickSome(cardIds)],
  walletCardsOfTemplate: [organization, (world) => [null, ...templateIds(world)], begin, limit],
  walletCardsWithMessage: [organization, messageIds, (world) => ["", ...cardIds(world)], limit],
  walletDevicesOf: [organization, pickSome(cardIds)],
  findWalletQueue: [organization],
  listPictures: [organization],
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
  countDueJobs: [
    organization,
    of<JobKind>(walletJobs, mailJobs, messageJobs, automationJobs),
    of("apple", "google", "pass", "message", "run", "date"),
    time,
    limit,
  ],
  findSubscription: [organization, userIds],
  subscriptionsOf: [organization, pickSome(userIds)],
  findSettings: [organization],
  findMessageSettings: [organization],
  findMailQueue: [organization],
  organizationOfMailToken: [
    valuesOfEach(
      ({ mailQueues }) => mailQueues,
      ({ token }) => token,
    ),
  ],
  mailQueuesAfter: [of("", "acme", "b"), limit],
  findMessageDelivery: [organization, messageDeliveryIds],
  messageDeliveriesById: [organization, pickSome(messageDeliveryIds)],
  messageDeliveriesOf: [
    organization,
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
  recentMailsOf: [organization, mailOwners, mailKinds, time],
  messageDeliveriesWith: [
    organization,
    messageIds,
    of(...messageDeliveryStatuses),
    (world) => [null, ...world.messageDeliveries],
    limit,
  ],
  recentMessagesOf: [organization, pickSome(userIds), time],
  findMessage: [organization, messageIds],
  messagesById: [organization, pickSome(messageIds)],
  listMessages: [
    organization,
    (world) => [
      {
        status: world.one([null, null, ...messageStatuses]),
        page: world.one([0, 0, 1]),
        size: world.one([1, 2, 100]),
      },
    ],
  ],
  messagesWithRecipient: [
    organization,
    (world) => userIds(world).map((id) => `"${id}"`),
    (world) => ["", ...messageIds(world)],
    limit,
  ],
  findMessageQueue: [organization],
  messageAudience: [organization, messageIds, of(0, 1, 7, 32, 15_360, 46_100), limit],
  findAutomation: [organization, automationIds],
  listAutomations: [organization],
  automationVersion: [organization, automationIds, of(1, 2, 3, 4)],
  countPastAutomations: [organization, automationIds],
  findAutomationQueue: [organization],
  findAutomationRun: [
    organization,
    valuesOfEach(
      ({ runs }) => runs,
      ({ id }) => id,
    ),
  ],
  listAutomationRuns: [
    organization,
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
  dueAutomationRuns: [organization, automationIds, time, limit],
  nextAutomationRunAt: [organization, automationIds],
  countAutomationRuns: [organization, userIds, time],
  findAutomationCompletion: [organization, automationIds, userIds],
  organizationsWithWallets: [of("", "acme", "b"), limit],
  findPicture: [
    valuesOfEach(
      ({ pictures }) => pictures,
      ({ hash }) => hash,
    ),
  ],
  countGrantsBy: [organization, of("ada", "Ada", "grace")],
  countOf: [
    organization,
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
  isEmpty: [],
};

/** The reads whose rows have no defined order, or an order that leaves ties to the storage. */
const unordered: ReadonlySet<string> = new Set<ReadName>([
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
  readonly method: ReadName;
  readonly args: readonly unknown[];
}

/** Builds `times` questions per read method, with randomly chosen arguments. A method without parameters gets only one. */
export function pickQuestions(world: World, times: number): Question[] {
  return Object.entries(reads).flatMap(([read, values]) =>
    Array.from({ length: values.length < 1 ? 1 : times }, () => ({
      method: read as ReadName,
      args: (values as readonly Values<unknown>[]).map((each) => world.one(each(world))),
    })),
  );
}

/** Calls a read method and returns its result in a comparable form. If the method doesn't define an order, the result is sorted. */
export function* answerTo(reader: StorageReader, { method, args }: Question): Step<unknown> {
  if (method === "readTagSets") {
    const [id, slugs] = args as Parameters<StorageReader["readTagSets"]>;
    return ordinalsIn(yield* reader.readTagSets(id, slugs));
  }
  if (method === "matchBehavior") {
    const [id, tests] = args as Parameters<StorageReader["matchBehavior"]>;
    return (yield* reader.matchBehavior(id, tests)).map((set) => set.slice(0, set.count()));
  }
  if (method === "segmentMembers") {
    const [id, segmentId] = args as Parameters<StorageReader["segmentMembers"]>;
    return (yield* reader.segmentMembers(id, segmentId)).from(0, Number.POSITIVE_INFINITY);
  }
  if (method === "membersAmong") {
    const [id, ordinals] = args as Parameters<StorageReader["membersAmong"]>;
    const nonEmpty = [...(yield* reader.membersAmong(id, ordinals))].filter(
      ([, members]) => members.size > 0,
    );
    return nonEmpty.map(([segmentId, members]) => [segmentId, [...members].sort((a, b) => a - b)]).sort();
  }
  if (method === "holdersOf") {
    const [id, passIds] = args as Parameters<StorageReader["holdersOf"]>;
    return [...(yield* reader.holdersOf(id, passIds))].sort();
  }
  if (method === "passesOfUsers") {
    // A user's ordinal differs between organizations.
    const [id, holders] = args as Parameters<StorageReader["passesOfUsers"]>;
    const users = yield* reader.usersById(
      id,
      holders.map((holder) => holder.id),
    );
    return yield* reader.passesOfUsers(id, users);
  }
  const answer = yield* (reader[method] as (...args: readonly unknown[]) => Step<unknown>)(...args);
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
 * Calls the read methods in {@link questionsOfScene} and returns their results, so that tests can compare two stores that contain
 * the scene.
 */
export const everyRead = (reader: StorageReader): Step<unknown[]> => answersTo(reader, questionsOfScene);

/** Calls the read methods one at a time and returns their results in order. */
export function* answersTo(reader: StorageReader, questions: readonly Question[]): Step<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) answers.push(yield* answerTo(reader, question));
  return answers;
}
