import { z } from "zod";
import { isScope } from "../scopes.js";
import type { StoredApp } from "../storage/apps.js";
import { grantedScopes, scope } from "./api-token.js";
import { measuredList } from "./fields/measured-list.js";
import { nameText } from "./fields/text.js";
import { timesOf, wireTimestamp } from "./fields/timestamp.js";

const MAX_REDIRECT_URIS = 20;
const MAX_REDIRECT_URI_LENGTH = 2_000;

/** Scheme, host and port, then a path and perhaps a query; nothing that two parsers could read differently. */
const shape =
  /^(https?):\/\/((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(?:[/?][\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e%]*)?$/;

const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** True for https, and for http on the machine of the browser itself. */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_REDIRECT_URI_LENGTH) return false;
  const [, scheme, host = ""] = shape.exec(text) ?? [];
  return (scheme === "https" || (scheme === "http" && loopback.includes(host))) && URL.canParse(text);
}

const redirectUri = z
  .string()
  .refine(isRedirectUri, {
    error:
      "must be an https URL, or an http URL of localhost, without user, fragment or characters that need encoding",
  })
  .meta({ maxLength: MAX_REDIRECT_URI_LENGTH });

export const appSchema = z
  .object({
    id: z.string(),
    object: z.literal("app"),
    name: z.string(),
    redirectUris: z.array(z.string()),
    scopes: z.array(scope),
    madeBy: z.string().nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "App" });

/** An OAuth 2.0 client. Its `id` is the `client_id`; `madeBy` is the API token by which it was registered. */
export type App = z.output<typeof appSchema>;

export const appWithSecretSchema = z
  .object({ clientSecret: z.string(), app: appSchema })
  .meta({ id: "AppWithSecret" });

/** An app with its secret, the only time that it is shown. */
export type AppWithSecret = z.output<typeof appWithSecretSchema>;

export const createAppSchema = z
  .object({
    name: nameText(100),
    redirectUris: measuredList(redirectUri, MAX_REDIRECT_URIS),
    scopes: grantedScopes,
  })
  .meta({ id: "CreateApp" });

export type CreateApp = z.input<typeof createAppSchema>;

export const rotateAppSecretSchema = z
  .object({ atOnce: z.boolean().default(false) })
  .meta({ id: "RotateAppSecret" });

export type RotateAppSecret = z.input<typeof rotateAppSecretSchema>;

export function appOf(app: StoredApp): App {
  return {
    id: app.id,
    object: "app",
    name: app.name,
    redirectUris: [...app.redirectUris],
    scopes: app.scopes.filter(isScope),
    madeBy: app.madeBy,
    ...timesOf(app),
  };
}
