import { type ErrorCode, errorCodes } from "../src/errors.js";

const goFewer =
  "Delete what is no longer used, or raise the limit: `limits` of the service, `--limits` of `serve`.";

/** What a caller does about each error. */
const remedies: Readonly<Record<ErrorCode, string>> = {
  malformed_request: "Send a JSON object, and encode the URL. The request fails again as it is.",
  wrong_param_type: "Send the type that the reference of the operation names for these fields.",
  unauthorized:
    "Send `Authorization: Bearer` with a token that exists. Refresh an access token of OAuth 2.0; make a new API token when the old one was deleted.",
  access_denied:
    "Give the token the scope. An API token gets its scopes when it is made; an app asks for them again.",
  address_not_allowed:
    "Call from an address of the token's list, or make a token with another list. Behind a proxy, check `--trusted-proxy`.",
  recent_sign_in_required: "Have the person sign out and sign in again.",
  resource_not_found:
    "Check the id and the organization. `error.missing`, or the header `Loyalty-Missing`, names what wasn't found; in process, the message also has the value and the next step.",
  method_not_allowed: "Use a method that the header `Allow` lists.",
  user_tag_already_exists: "Use the tag that exists, or choose another name or slug.",
  user_tag_already_assigned: "Nothing: the customer has the tag.",
  segment_already_exists: "Use the segment that exists, or choose another slug.",
  outbox_disabled: "Turn the outbox on, or save the segment without `emitsEvents`.",
  segment_in_use: "Delete or change what uses the segment first; `params` names it.",
  user_already_exists:
    "Use `users.upsert`, or show the person that they are a customer already. `conflicts` has the values that are taken.",
  person_already_exists: "Invite the person again, with `people.inviteAgain`, or change their role.",
  person_mailed_recently: "Wait until the time in `params`, or the seconds in `Retry-After`.",
  last_owner:
    "Make somebody else an owner, and let them sign in first. API tokens and `loyalty-kit people` may do it, since they let others in again.",
  template_already_exists:
    "Use the template that exists (`templates.ensure` returns it), or choose another key.",
  template_in_use: "Keep the template, or delete its passes first.",
  pass_never_installed: "Nothing: the pass is on no phone.",
  not_a_stamp_card: "Use a pass whose template has the type `STAMP_CARD`.",
  not_enough_stamps: "Read the state of the card, and take no more stamps than it has.",
  already_reversed: "Nothing: the entry is undone.",
  not_reversible: "Make the change anew: an undo can't be undone.",
  reward_already_redeemed: "Reverse the entry that redeemed the reward, then this one.",
  no_reward_available: "Read the state of the card, and offer a reward when `rewardsAvailable` is above 0.",
  app_has_no_secret: "Use PKCE, as public apps do, or make a confidential app.",
  mail_not_configured: "Give the service a mail server: `createMail`, or `--smtp-url` of `serve`.",
  no_mail_address: "Ask the customer for an email address, and store it.",
  address_suppressed: "Ask the customer for another address. Don't write to this one by other ways either.",
  pass_notified_recently: "Wait until the time in `params`, or the seconds in `Retry-After`.",
  customer_unsubscribed:
    "Send nothing. When the customer consents again, store the new consent with its text and time.",
  wallets_not_configured:
    "Give the service a wallet: `createWallets`, or the options `--apple-…` and `--google-…` of `serve`.",
  message_not_draft: "Copy the message into a new draft, and change that.",
  message_ended: "Nothing can be changed any more. Make a new message.",
  message_tested_recently: "Wait until the time in `params`, or the seconds in `Retry-After`.",
  webhook_endpoint_disabled: "Repair the receiver, then enable the endpoint with `webhooks.update`.",
  too_many_api_tokens: `${goFewer} Expired tokens count too.`,
  too_many_apps: goFewer,
  too_many_automations: goFewer,
  too_many_automation_versions: "Wait until earlier runs have ended, then change the automation.",
  too_many_grants: goFewer,
  too_many_passkeys: "Remove one in the settings of the console.",
  too_many_people: goFewer,
  too_many_user_tags: goFewer,
  too_many_messages: goFewer,
  too_many_segments: goFewer,
  too_many_templates: goFewer,
  too_many_webhook_endpoints: goFewer,
  too_many_pending_deliveries:
    "Repair or delete webhook endpoints that don't answer, or wait until the mails that wait are sent.",
  too_many_pictures: "Remove pictures from designs, or show the same picture in several.",
  idempotency_key_in_use: "Send the same request with the same key again after a second.",
  payload_too_large: "Split the request. Tags and imports take lists in several calls.",
  unsupported_media_type: "Send `Content-Type: application/json`, without `Content-Encoding`.",
  validation_failed: "Correct the fields that `fields` names; its texts say what each must be.",
  idempotency_key_reused: "Use a new key for each new request.",
  rate_limit_exceeded:
    "Wait the seconds in `Retry-After`, then send the request again. Above `invitationsPerDay`, `params` have the time when the next day begins.",
  internal_error:
    "Read the host's log or `onError`, which have the cause. Send the request again with the same idempotency key.",
  storage_unavailable:
    "Send the request again with the same idempotency key after a second. When it lasts, ask `loyalty-kit doctor`. In process, the message says what helps: free some space on a full disk, open a new service after closing one, and make each call of a transaction through the organization that the transaction gives.",
};

const statusNames: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Content too large",
  415: "Unsupported media type",
  422: "Unprocessable content",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};

const beginning = `# Errors

<!-- made from the table of codes in src/errors.ts by npm run docs:pages -->

Every refusal has a stable \`code\`. The library throws it in a \`LoyaltyError\`. The HTTP interface answers with its status, in
[a format](http.md) that depends on the status. Decide by the code, never by the message. The \`docs\` of the error names its entry
below, and so does the command line.

\`\`\`ts
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const { stamps } = loyalty.organization("acme");
try {
  await stamps.add("01890000-0000-7000-8000-000000000000");
} catch (error) {
  if (!isLoyaltyError(error, "resource_not_found")) throw error;
  console.log(error.status, error.code, error.missing);
  console.log(error.message);
  console.log(error.docs);
}
await loyalty.close();
// → 404 resource_not_found wallet_pass
// → No wallet pass "01890000-0000-7000-8000-000000000000" in "acme". List a user's passes with passes.ofUser.
// → loyalty-kit/docs/errors.md#resource_not_found
\`\`\`

Express, Fastify, Hono, Koa and Nuxt answer an error that a route leaves uncaught with its status. Elsewhere a route can return \`error.getResponse()\`. \`expose\` says whether clients may see the message: unless the status is 500 or more. A message quotes at most 100 characters of a value, on one line, without markup.

New codes may come in minor versions, so treat a code that you don't know by its status: repeat 429 and 503 later, and show or log the rest.
Anything that is not a \`LoyaltyError\` is a fault, or a \`TypeError\` for a wrong option.`;

/** Makes docs/errors.md: each code with its status, when it comes, and what to do about it. */
export function errorsPage(): string {
  const codes = Object.entries(errorCodes);
  const statuses = [...new Set(codes.map(([, { status }]) => status))];
  const sections = statuses.map((status) => {
    const entries = codes.flatMap(([code, row]) => (row.status === status ? [entry(code, row.meaning)] : []));
    return [`## ${status} ${statusNames[status]}`, ...entries].join("\n\n");
  });
  return `${[beginning, ...sections].join("\n\n")}\n`;
}

function entry(code: string, meaning: string): string {
  const [, remedy = ""] = Object.entries(remedies).find(([name]) => name === code) ?? [];
  return `### ${code}\n\n${meaning}\n\n**What to do:** ${remedy}`;
}
