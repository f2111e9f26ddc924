import { run, type Step } from "../../concurrency/step.js";
import { subjectPlaces } from "../../storage/actors.js";
import type { ContactQuery } from "../../storage/contacts.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { ordinalsIn } from "./ordinals.js";
import { hashOf } from "./records.js";
import { scene } from "./scene.js";

type Reads = { readonly [Method in keyof StorageReader]: () => Step<unknown> };

const everybody: ContactQuery = {
  search: null,
  stamps: null,
  sort: { field: "createdAt", direction: "asc" },
  offset: 0,
  limit: 100,
};

/** One call of each read, with arguments that see the rows of the {@link scene} and what every write does to them. */
function reads(reader: StorageReader, organizationId: string): Reads {
  const { ada, vip, regular, coffee, pass, endpoint } = scene;
  return {
    findUser: () => reader.findUser(organizationId, ada.id),
    findUserByExternalId: () => reader.findUserByExternalId(organizationId, "customer-1"),
    findUserByEmail: () => reader.findUserByEmail(organizationId, "ada@example.com"),
    listUsers: () => reader.listUsers(organizationId, -1, 100),
    usersById: () => reader.usersById(organizationId, [ada.id, scene.bob.id]),
    usersByExternalId: () => reader.usersByExternalId(organizationId, ["customer-1"]),
    usersByEmail: () => reader.usersByEmail(organizationId, ["ada@example.com"]),
    usersByOrdinal: () => reader.usersByOrdinal(organizationId, [0, 1, 2, 3]),
    listContacts: function* () {
      return [
        yield* reader.listContacts(organizationId, everybody),
        yield* reader.listContacts(organizationId, { ...everybody, search: "ada" }),
        yield* reader.listContacts(organizationId, {
          ...everybody,
          stamps: { templateId: coffee.id, min: 1, max: 1 },
        }),
      ];
    },
    findTag: () => reader.findTag(organizationId, vip.slug),
    listTags: () => reader.listTags(organizationId),
    tagsOfUser: () => reader.tagsOfUser(organizationId, ada.ordinal),
    slugsOfUsers: function* () {
      return Object.fromEntries(yield* reader.slugsOfUsers(organizationId, [0, 1, 2, 3]));
    },
    usersOfTag: () => reader.usersOfTag(organizationId, vip.ordinal, -1, 100),
    readSegments: function* () {
      return ordinalsIn(yield* reader.readSegments(organizationId, [vip.slug, regular.slug, "new"]));
    },
    verifySegments: () => reader.verifySegments(organizationId),
    findTemplate: () => reader.findTemplate(organizationId, coffee.id),
    organizationOfTemplate: () => reader.organizationOfTemplate(coffee.id),
    listTemplates: () => reader.listTemplates(organizationId),
    templateHasPasses: () => reader.templateHasPasses(organizationId, coffee.id),
    findPass: () => reader.findPass(organizationId, pass.id),
    findPassByCode: () => reader.findPassByCode(organizationId, pass.code),
    passesByCode: () => reader.passesByCode(organizationId, [pass.code]),
    organizationOfCode: () => reader.organizationOfCode(pass.code),
    passesOfUsers: () => reader.passesOfUsers(organizationId, [ada, scene.bob]),
    findStampEntry: () => reader.findStampEntry(organizationId, pass.id, scene.entry.id),
    listStampEntries: () => reader.listStampEntries(organizationId, pass.id, 0, 100),
    countStampEntries: () => reader.countStampEntries(organizationId, pass.id, { parts: [], subject: null }),
    listAudit: () => reader.listAudit(organizationId, 0, 100),
    listSubjects: function* () {
      const subjects = [];
      for (const place of subjectPlaces) {
        subjects.push(yield* reader.listSubjects(organizationId, place, "", 100));
      }
      return subjects;
    },
    newestEventPosition: () => reader.newestEventPosition(organizationId),
    listEvents: function* () {
      return [
        yield* reader.listEvents(organizationId, null, 0, 100),
        yield* reader.listEvents(organizationId, ["user.created"], 0, 100),
        yield* reader.listEvents(organizationId, null, 1, 1),
        yield* reader.listEvents(organizationId, null, 0, 100, null, ["usr", "wp"]),
      ];
    },
    countedDays: () => reader.countedDays(organizationId, 4, 10),
    listApiTokens: () => reader.listApiTokens(organizationId),
    findApiToken: () => reader.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    findApiTokenByHash: () => reader.findApiTokenByHash(hashOf(organizationId)),
    findAnswer: function* () {
      return [
        yield* reader.findAnswer(organizationId, scene.answer.keyHash),
        yield* reader.findAnswer(organizationId, hashOf("new key")),
      ];
    },
    listApps: () => reader.listApps(organizationId),
    findApp: () => reader.findApp(scene.appOf(organizationId).id),
    findGrantTokenByHash: function* () {
      return [
        yield* reader.findGrantTokenByHash(scene.accessOf(organizationId).hash),
        yield* reader.findGrantTokenByHash(scene.codeOf(organizationId).hash),
        yield* reader.findGrantTokenByHash(hashOf(`new token, ${organizationId}`)),
        yield* reader.findGrantTokenByHash(hashOf(`new grant, ${organizationId}`)),
      ];
    },
    listGrants: () => reader.listGrants(organizationId),
    listWebhookEndpoints: () => reader.listWebhookEndpoints(organizationId),
    findWebhookEndpoint: () => reader.findWebhookEndpoint(organizationId, endpoint.id),
    listDeliveries: function* () {
      return [
        yield* reader.listDeliveries(organizationId, endpoint.id, { before: null, limit: 100 }),
        yield* reader.listDeliveries(organizationId, endpoint.id, { before: scene.due, limit: 1 }),
      ];
    },
    findDelivery: () => reader.findDelivery(organizationId, scene.due.id),
    attemptsOf: () => reader.attemptsOf(organizationId, [scene.delivered.id, scene.claimed.id]),
    listEventHeads: () => reader.listEventHeads(organizationId, null, 0, 100),
    eventsById: () => reader.eventsById(organizationId, [scene.event.id]),
    pendingDeliveries: function* () {
      return Object.fromEntries(yield* reader.pendingDeliveries(organizationId));
    },
    endpointsToServe: function* () {
      return [...(yield* reader.endpointsToServe(2, 100, 0)), ...(yield* reader.endpointsToServe(3, 100, 0))]
        .filter((endpoint) => endpoint.organizationId === organizationId)
        .map(({ endpointId }) => endpointId);
    },
    webhookEndpointsBehind: function* () {
      return (yield* reader.webhookEndpointsBehind(null, 100))
        .filter((owned) => owned.organizationId === organizationId)
        .map((owned) => owned.endpoint);
    },
    findWalletCard: function* () {
      return [
        yield* reader.findWalletCard(organizationId, scene.walletCardOf(organizationId).passId),
        yield* reader.findWalletCard(organizationId, "new pass"),
      ];
    },
    walletCardsOf: () => reader.walletCardsOf(organizationId, [scene.walletCardOf(organizationId).passId]),
    walletCardsOfTemplate: function* () {
      return [
        yield* reader.walletCardsOfTemplate(organizationId, coffee.id, "", 100),
        yield* reader.walletCardsOfTemplate(organizationId, null, "", 100),
      ];
    },
    walletDevicesOf: () =>
      reader.walletDevicesOf(organizationId, [scene.walletCardOf(organizationId).passId]),
    findWalletQueue: () => reader.findWalletQueue(organizationId),
    listPictures: () => reader.listPictures(organizationId),
    findWalletPass: () => reader.findWalletPass(scene.walletCardOf(organizationId).passId),
    walletPassesBehind: function* () {
      return (yield* reader.walletPassesBehind("", 100)).filter(
        (owned) => owned.organizationId === organizationId,
      );
    },
    walletCardsBehind: function* () {
      return (yield* reader.walletCardsBehind("", 100)).filter(
        (owned) => owned.organizationId === organizationId,
      );
    },
    walletCardsOfDevice: () =>
      reader.walletCardsOfDevice("apple", scene.walletDeviceOf(organizationId).deviceId, 100),
    walletDevicesOfToken: () =>
      reader.walletDevicesOfToken("apple", scene.walletDeviceOf(organizationId).pushToken ?? "", 100),
    walletQueuesToServe: function* () {
      return [
        ...(yield* reader.walletQueuesToServe(4, 100)),
        ...(yield* reader.walletQueuesToServe(20, 100)),
      ].filter((id) => id === organizationId);
    },
    organizationsWithWallets: function* () {
      return (yield* reader.organizationsWithWallets("", 100)).filter((id) => id === organizationId);
    },
    findPicture: () => reader.findPicture(scene.pictureOf(organizationId).hash),
    countGrantsBy: () => reader.countGrantsBy(organizationId, "grace"),
    countOf: function* () {
      const counts: number[] = [];
      for (const kind of ["apiTokens", "apps", "tags", "templates", "webhookEndpoints"] as const) {
        counts.push(yield* reader.countOf(organizationId, kind));
      }
      return counts;
    },
    isEmpty: () => reader.isEmpty(),
  };
}

/** What each read answers, one asked after the other. */
export function* everyRead(
  reader: StorageReader,
  organizationId: string,
): Step<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const [method, read] of Object.entries(reads(reader, organizationId))) answers[method] = yield* read();
  return answers;
}

/** What each read answers, all asked at this moment. */
export async function everyReadAtOnce(reader: StorageReader, organizationId: string) {
  const asked = Object.entries(reads(reader, organizationId)).map(
    async ([method, read]) => [method, await run(read())] as const,
  );
  return Object.fromEntries(await Promise.all(asked));
}
