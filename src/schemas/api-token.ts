import { z } from "zod";
import { scopes } from "../scopes.js";
import { nameText } from "./text.js";
import { wireTimestamp } from "./wire.js";

const scope = z.enum(scopes);

export const apiTokenSchema = z
  .object({
    id: z.string(),
    object: z.literal("api_token"),
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(scope),
    createdAt: wireTimestamp,
    lastUsedAt: wireTimestamp.nullable(),
    expiresAt: wireTimestamp.nullable(),
  })
  .meta({ id: "ApiToken" });

/** What is kept of an API token: never the token itself. */
export type ApiToken = z.output<typeof apiTokenSchema>;

export const createdApiTokenSchema = z
  .object({ token: z.string(), apiToken: apiTokenSchema })
  .meta({ id: "CreatedApiToken" });

/** A new API token, the only time that it is shown. */
export type CreatedApiToken = z.output<typeof createdApiTokenSchema>;

export const createApiTokenSchema = z
  .object({
    name: nameText(100),
    scopes: z.array(scope).min(1),
    expiresAt: z.iso.datetime({ offset: true, error: "must be an ISO 8601 timestamp" }).nullish(),
  })
  .meta({ id: "CreateApiToken" });

export type CreateApiToken = z.input<typeof createApiTokenSchema>;
