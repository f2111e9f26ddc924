import type { z } from "zod";
import type { Groups } from "./call-arguments.js";
import type { PassPlace } from "./cards/found-pass.js";
import type { IssueOptions } from "./cards/pass-steps.js";
import type { ImportPassesOptions } from "./cards/passes.js";
import type { ImportOptions } from "./customers/import/import.js";
import { createApiTokenSchema, rotateApiTokenSchema } from "./resources/api-token.js";
import { createAppSchema, rotateAppSecretSchema } from "./resources/app.js";
import { auditHeadQuerySchema, auditQuerySchema } from "./resources/audit.js";
import { contactQuerySchema } from "./resources/contact.js";
import { eventQuerySchema } from "./resources/event.js";
import { newGrantSchema } from "./resources/grant.js";
import { createPassSchema } from "./resources/pass.js";
import {
  changeStampsSchema,
  redeemRewardSchema,
  reverseEntrySchema,
  setStampsSchema,
  stampHistoryQuerySchema,
} from "./resources/stamps.js";
import { statisticsQuerySchema } from "./resources/statistics.js";
import { createTagSchema, updateTagSchema } from "./resources/tag.js";
import { tagQuerySchema } from "./resources/tag-filter.js";
import { userSelectionSchema } from "./resources/tagging.js";
import { createTemplateSchema, updateTemplateSchema } from "./resources/template.js";
import { keysBeside, refuseKeys, unknownKeys } from "./resources/unknown-keys.js";
import { createUserSchema, findUserSchema, updateUserSchema } from "./resources/user.js";
import { deliveryQuerySchema, replaySchema } from "./resources/webhook-delivery.js";
import { createWebhookEndpointSchema, updateWebhookEndpointSchema } from "./resources/webhook-endpoint.js";

/** The keys of an argument that are unknown, by their paths. `null` where an argument is looked at by nobody, or elsewhere. */
type Argument = ((given: unknown) => readonly string[]) | null;

/** Every call of a group that takes an object, with what is known of its arguments. */
type CallsWithObjects<Group> = {
  readonly [Name in keyof Group as Group[Name] extends (...args: infer Arguments) => unknown
    ? Extract<Required<Arguments>[number], object> extends never
      ? never
      : Name
    : never]: readonly Argument[];
};

const id = null;
/** Rows are looked at one by one as they come: one with an unknown key fails by itself. */
const rows = null;
const importOptions = { createTags: true, mergeMetadata: true, dryRun: true, onProgress: true };
const once: Argument = keysBeside({ idempotencyKey: true });

const calls: { readonly [Name in keyof Groups]: CallsWithObjects<Groups[Name]> } = {
  users: {
    create: [change(createUserSchema)],
    upsert: [change(createUserSchema)],
    find: [query(findUserSchema)],
    update: [id, change(updateUserSchema)],
    import: [rows, keysBeside<ImportOptions>(importOptions)],
    delete: [id, once],
    erase: [id, once],
  },
  contacts: { list: [query(contactQuerySchema)] },
  tags: {
    create: [change(createTagSchema)],
    update: [id, change(updateTagSchema)],
    delete: [id, once],
    assign: [id, id, once],
    unassign: [id, id, once],
    assignUsers: [id, change(userSelectionSchema)],
    unassignUsers: [id, change(userSelectionSchema)],
    query: [query(tagQuerySchema)],
  },
  templates: {
    create: [change(createTemplateSchema)],
    update: [id, change(updateTemplateSchema)],
    delete: [id, once],
  },
  passes: {
    create: [
      id,
      change(createPassSchema),
      keysBeside<IssueOptions>({ isPreviewPass: true, whenTaken: true }),
    ],
    ensure: [id, change(createPassSchema)],
    import: [rows, keysBeside<ImportPassesOptions>({ ...importOptions, tells: true })],
    get: [id, keysBeside<PassPlace>({ templateId: true })],
    delete: [id, keysBeside({ templateId: true, idempotencyKey: true })],
    markInstalled: [id, once],
    markUninstalled: [id, once],
    revokeWalletLinks: [id, once],
  },
  stamps: {
    add: [id, change(changeStampsSchema)],
    remove: [id, change(changeStampsSchema)],
    set: [id, change(setStampsSchema)],
    reset: [id, once],
    redeem: [id, change(redeemRewardSchema)],
    reverse: [id, change(reverseEntrySchema)],
    history: [id, query(stampHistoryQuerySchema)],
  },
  events: { list: [query(eventQuerySchema)] },
  webhooks: {
    create: [change(createWebhookEndpointSchema)],
    update: [id, change(updateWebhookEndpointSchema)],
    delete: [id, once],
    rotateSecret: [id, once],
    deliveries: [id, query(deliveryQuerySchema)],
    replay: [id, change(replaySchema)],
    test: [id, once],
  },
  apiTokens: {
    create: [change(createApiTokenSchema)],
    rotate: [id, change(rotateApiTokenSchema)],
    delete: [id, once],
  },
  audit: { list: [query(auditQuerySchema)], verify: [query(auditHeadQuerySchema)] },
  statistics: { get: [query(statisticsQuerySchema)] },
  apps: {
    create: [change(createAppSchema)],
    rotateSecret: [id, change(rotateAppSecretSchema)],
    delete: [id, once],
  },
  grants: { allow: [query(newGrantSchema)], delete: [id, once] },
};

/** What reads by a schema. */
function query(schema: z.ZodType): Argument {
  return (given) => unknownKeys(schema, given);
}

/** {@link query} for what may have an idempotency key. */
function change(schema: z.ZodType): Argument {
  return (given) => unknownKeys(schema, given).filter((path) => path !== "idempotencyKey");
}

/** A group of calls that reject with `validation_failed` for keys that they would ignore. */
export function strictly<Name extends keyof Groups>(name: Name, group: Groups[Name]): Groups[Name] {
  const known = new Map<PropertyKey, readonly Argument[]>(Object.entries(calls[name]));
  return new Proxy(group, {
    get(target, property) {
      const call: unknown = Reflect.get(target, property);
      const places = known.get(property);
      if (places === undefined || typeof call !== "function") return call;
      return async (...given: unknown[]) => {
        refuseKeys(places.flatMap((argument, at) => argument?.(given[at]) ?? []));
        return Reflect.apply(call, target, given);
      };
    },
  });
}
