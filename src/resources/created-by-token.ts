import * as z from "zod";
import { apiTokenSchema } from "./api-token.js";
import { appSchema } from "./app.js";
import { grantSchema } from "./grant.js";

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
 * The lists name what an API token made and is there still, whether the token is or not, each oldest first; `endedGrantIds`
 * names the grants made with it that are over. These and the endpoints are known as far back as the audit trail goes, 1,000 ended
 * grants at most.
 */
export type CreatedByToken = z.output<typeof createdByTokenSchema>;
