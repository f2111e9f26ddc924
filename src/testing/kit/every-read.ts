import type { ContactQuery } from "../../storage/contacts.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { ordinalsIn } from "../tags/segments.js";
import { hashOf } from "./records.js";
import { scene } from "./scene.js";

type Reads = { readonly [Method in keyof StorageReader]: () => Promise<unknown> };

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
    usersByOrdinal: () => reader.usersByOrdinal(organizationId, [0, 1, 2, 3]),
    listContacts: async () => [
      await reader.listContacts(organizationId, everybody),
      await reader.listContacts(organizationId, { ...everybody, search: "ada" }),
      await reader.listContacts(organizationId, {
        ...everybody,
        stamps: { templateId: coffee.id, min: 1, max: 1 },
      }),
    ],
    findTag: () => reader.findTag(organizationId, vip.slug),
    listTags: () => reader.listTags(organizationId),
    tagsOfUser: () => reader.tagsOfUser(organizationId, ada.ordinal),
    slugsOfUsers: async () => Object.fromEntries(await reader.slugsOfUsers(organizationId, [0, 1, 2, 3])),
    usersOfTag: () => reader.usersOfTag(organizationId, vip.id, -1, 100),
    readSegments: async () =>
      ordinalsIn(await reader.readSegments(organizationId, [vip.slug, regular.slug, "new"])),
    verifySegments: () => reader.verifySegments(organizationId),
    findTemplate: () => reader.findTemplate(organizationId, coffee.id),
    listTemplates: () => reader.listTemplates(organizationId),
    templateHasPasses: () => reader.templateHasPasses(organizationId, coffee.id),
    findPass: () => reader.findPass(organizationId, pass.id),
    findPassByCode: () => reader.findPassByCode(organizationId, pass.code),
    passesOfUsers: () => reader.passesOfUsers(organizationId, [ada.id, scene.bob.id]),
    listStampEntries: () => reader.listStampEntries(organizationId, pass.id, 0, 100),
    newestEventPosition: () => reader.newestEventPosition(organizationId),
    listEvents: async () => [
      await reader.listEvents(organizationId, null, 0, 100),
      await reader.listEvents(organizationId, ["user.created"], 0, 100),
      await reader.listEvents(organizationId, null, 1, 1),
    ],
    listApiTokens: () => reader.listApiTokens(organizationId),
    findApiToken: () => reader.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    findApiTokenByHash: () => reader.findApiTokenByHash(hashOf(organizationId)),
    findAnswer: async () => [
      await reader.findAnswer(organizationId, scene.answer.keyHash),
      await reader.findAnswer(organizationId, hashOf("new key")),
    ],
    listApps: () => reader.listApps(organizationId),
    findApp: () => reader.findApp(scene.appOf(organizationId).id),
    findGrantTokenByHash: async () => [
      await reader.findGrantTokenByHash(scene.accessOf(organizationId).hash),
      await reader.findGrantTokenByHash(scene.codeOf(organizationId).hash),
      await reader.findGrantTokenByHash(hashOf(`new token, ${organizationId}`)),
      await reader.findGrantTokenByHash(hashOf(`new grant, ${organizationId}`)),
    ],
    listGrants: () => reader.listGrants(organizationId),
    listWebhookEndpoints: () => reader.listWebhookEndpoints(organizationId),
    findWebhookEndpoint: () => reader.findWebhookEndpoint(organizationId, endpoint.id),
    listDeliveries: async () => [
      await reader.listDeliveries(organizationId, endpoint.id, { before: null, limit: 100 }),
      await reader.listDeliveries(organizationId, endpoint.id, { before: scene.due, limit: 1 }),
    ],
    findDelivery: () => reader.findDelivery(organizationId, scene.due.id),
    attemptsOf: () => reader.attemptsOf(organizationId, [scene.delivered.id, scene.claimed.id]),
    listEventHeads: () => reader.listEventHeads(organizationId, null, 0, 100),
    eventsById: () => reader.eventsById(organizationId, [scene.event.id]),
    pendingDeliveries: async () => Object.fromEntries(await reader.pendingDeliveries(organizationId)),
    endpointsToServe: async () =>
      [...(await reader.endpointsToServe(2, 100, 0)), ...(await reader.endpointsToServe(3, 100, 0))]
        .filter((endpoint) => endpoint.organizationId === organizationId)
        .map(({ endpointId }) => endpointId),
    findWalletCard: async () => [
      await reader.findWalletCard(organizationId, scene.walletCardOf(organizationId).passId),
      await reader.findWalletCard(organizationId, "new pass"),
    ],
    walletCardsOfTemplate: async () => [
      await reader.walletCardsOfTemplate(organizationId, coffee.id, "", 100),
      await reader.walletCardsOfTemplate(organizationId, null, "", 100),
    ],
    walletDevicesOf: () =>
      reader.walletDevicesOf(organizationId, [scene.walletCardOf(organizationId).passId]),
    findWalletQueue: () => reader.findWalletQueue(organizationId),
    listPictures: () => reader.listPictures(organizationId),
    findWalletPass: () => reader.findWalletPass(scene.walletCardOf(organizationId).passId),
    walletCardsOfDevice: () =>
      reader.walletCardsOfDevice("apple", scene.walletDeviceOf(organizationId).deviceId, 100),
    walletDevicesOfToken: () =>
      reader.walletDevicesOfToken("apple", scene.walletDeviceOf(organizationId).pushToken ?? "", 100),
    walletQueuesToServe: async () =>
      [...(await reader.walletQueuesToServe(4, 100)), ...(await reader.walletQueuesToServe(20, 100))].filter(
        (id) => id === organizationId,
      ),
    findPicture: () => reader.findPicture(scene.pictureOf(organizationId).hash),
    countOf: () =>
      Promise.all(
        (["apiTokens", "apps", "tags", "templates", "webhookEndpoints"] as const).map((kind) =>
          reader.countOf(organizationId, kind),
        ),
      ),
    isEmpty: () => reader.isEmpty(),
  };
}

/** What each read answers, one asked after the other. */
export async function everyRead(reader: StorageReader, organizationId: string) {
  const answers: Record<string, unknown> = {};
  for (const [method, read] of Object.entries(reads(reader, organizationId))) answers[method] = await read();
  return answers;
}

/** What each read answers, all asked at this moment. */
export async function everyReadAtOnce(reader: StorageReader, organizationId: string) {
  const asked = Object.entries(reads(reader, organizationId)).map(
    async ([method, read]) => [method, await read()] as const,
  );
  return Object.fromEntries(await Promise.all(asked));
}
