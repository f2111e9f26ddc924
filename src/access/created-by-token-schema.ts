import * as z from "zod";
import { apiTokenSchema } from "./api-token-schema.js";
import { appSchema } from "./app-schema.js";
import { grantSchema } from "./grant-schema.js";

export const createdByTokenSchema = z
  .object({
    object: z.literal("created_by_token"),
    tokenId: z.string(),
    apiTokens: z.array(apiTokenSchema),
    apps: z.array(appSchema),
    grants: z.array(grantSchema),
    endedGrantIds: z.array(z.string()),
    webhookEndpointIds: z.array(z.string()),
  })
  .meta({ id: "CreatedByToken" });

/**
 * The resources created by an API token that still exist, oldest first. They are listed even if the token itself no longer exists.
 * `endedGrantIds` lists the IDs of up to 1,000 ended grants that were made with the token. Ended grants and webhook endpoints are
 * listed only as far back as the audit trail goes.
 */
export type CreatedByToken = z.output<typeof createdByTokenSchema>;
