import { z } from "zod";
import { isCodeChallenge } from "../pkce.js";
import { grantedScopes } from "./api-token.js";
import { filledText, text } from "./text.js";

export const newGrantSchema = z.object({
  appId: text(100),
  subject: filledText(255),
  scopes: grantedScopes,
  redirectUri: z.string().nullable(),
  codeChallenge: z.string().refine(isCodeChallenge, { error: "must be a SHA-256 in base64url" }),
});
