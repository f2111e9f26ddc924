import { type ErrorCode, errorCodes } from "../src/base/errors.js";

const goFewer =
  "Delete what you no longer use, or raise the limit: `limits` of the service, `--limits` of `serve`.";

/** What a caller does about each error. */
const remedies: Readonly<Record<ErrorCode, string>> = {
  malformed_request: "Send a JSON object, and encode the URL. Repeating the same request fails again.",
  wrong_param_type: "Send the types that the reference lists for these fields.",
  unauthorized:
    "Send `Authorization: Bearer` with a valid token. Refresh an expired OAuth 2.0 access token; create a new API token if the old one was deleted.",
  access_denied:
    "Use a token with this scope. The scopes of an API token are set when it is created; an app asks the user for them again.",
  address_not_allowed:
    "Call from an address on the token's list, or create a token with another list. Behind a proxy, check `--trusted-proxy`.",
  recent_sign_in_required: "Ask the person to sign out and sign in again.",
  resource_not_found:
    "Check the id and the organization. `error.missing`, or the header `Loyalty-Missing`, names what wasn't found; in process, the message also has the value and the next step.",
  method_not_allowed: "Use a method listed in the `Allow` header.",
  user_tag_already_exists: "Use the existing tag, or choose another name or slug.",
  user_tag_already_assigned: "Nothing: the customer has the tag.",
  segment_already_exists: "Use the existing segment, or choose another slug.",
  outbox_disabled: "Turn the outbox on, or save the segment without `emitsEvents`.",
  segment_in_use: "First delete or change what uses the segment; `params` names it.",
  user_already_exists:
    "Use `users.upsert`, or tell the person that they are already a customer. `conflicts` lists the values in use.",
  person_already_exists: "Invite the person again with `people.inviteAgain`, or change their role.",
  person_mailed_recently: "Wait until the time in `params`, or for the seconds in `Retry-After`.",
  last_owner:
    "Make someone else an owner, and have them sign in first. API tokens and `loyalty-kit people` can remove the last owner, because they can invite a new one.",
  template_already_exists:
    "Use the existing template (`templates.ensure` returns it), or choose another key.",
  template_in_use: "Keep the template, or delete its passes first.",
  pass_never_installed: "Nothing: the pass isn't on any phone.",
  not_a_point_card: "Use a pass whose template has `points`.",
  not_enough_points:
    "Read the card's points, and spend or remove at most `available`. To make the rest debt, remove points with `allowsDebt`.",
  purchase_conflict:
    "Read the purchase, and send its newest state with a higher `revision`. Two states of a purchase never have the same revision.",
  return_conflict: "Give each return an id of its own. Nothing was changed.",
  not_a_stamp_card: "Use a pass whose template has the type `STAMP_CARD`.",
  not_enough_stamps: "Read the card's stamps, and remove at most that many.",
  already_reversed: "Nothing: the entry is reversed.",
  not_reversible:
    "Make the original change again as a new entry. To correct what a purchase gave, record its new state or a return.",
  reward_already_redeemed: "Reverse the entry that redeemed the reward, then this one.",
  no_reward_available: "Read the card's stamps, and offer a reward only if `rewardsAvailable` is above 0.",
  app_has_no_secret: "Use PKCE, as public apps do, or create a confidential app.",
  mail_not_configured: "Configure a mail server: `createMail`, or `--smtp-url` of `serve`.",
  no_mail_address: "Ask the customer for an email address, and store it.",
  address_suppressed: "Ask the customer for another address. Don't write to this one in other ways either.",
  pass_notified_recently: "Wait until the time in `params`, or for the seconds in `Retry-After`.",
  customer_unsubscribed:
    "Send nothing. When the customer consents again, store the new consent with its text and time.",
  wallets_not_configured:
    "Configure a wallet: `createWallets`, or the options `--apple-…` and `--google-…` of `serve`.",
  message_not_draft: "Copy the message into a new draft, and change that.",
  message_ended: "The message can't be changed anymore. Create a new one.",
  message_tested_recently: "Wait until the time in `params`, or for the seconds in `Retry-After`.",
  webhook_endpoint_disabled: "Fix the receiver, then enable the endpoint with `webhooks.update`.",
  too_many_api_tokens: `${goFewer} Expired tokens count, too.`,
  too_many_apps: goFewer,
  too_many_automations: goFewer,
  too_many_automation_versions: "Wait until earlier runs have finished, then change the automation.",
  too_many_grants: goFewer,
  too_many_passkeys: "Remove a passkey in the console's settings.",
  too_many_people: goFewer,
  too_many_user_tags: goFewer,
  too_many_messages: goFewer,
  too_many_segments: goFewer,
  too_many_templates: goFewer,
  too_many_webhook_endpoints: goFewer,
  too_many_pending_deliveries:
    "Fix or delete webhook endpoints that don't respond, or wait until pending mails are sent.",
  too_many_pictures: "Remove pictures from designs, or use the same picture in several designs.",
  idempotency_key_in_use: "Send the same request with the same key again after a second.",
  payload_too_large: "Split the request. Tags and imports accept lists in several calls.",
  unsupported_media_type: "Send `Content-Type: application/json`, without `Content-Encoding`.",
  validation_failed: "Correct the fields listed in `fields`; each has a message that says what is allowed.",
  more_than_bought:
    "Read the purchase: of each line, `quantity` and `amount` less `returned` can still come back. `params` has the lines' paths.",
  idempotency_key_reused: "Use a new key for each new request.",
  rate_limit_exceeded:
    "Wait for the seconds in `Retry-After`, then send the request again. Above `invitationsPerDay`, `params` has the time when the next day begins.",
  internal_error:
    "Find the cause in the server log or `onError`. Send the request again with the same idempotency key.",
  storage_unavailable:
    "Send the request again with the same idempotency key after a second. If it keeps failing, run `loyalty-kit doctor`. In process, the message says what to do: free disk space, open a new service after closing one, or make each call inside a transaction through the organization that the transaction gives you.",
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

<!-- made from the table of codes in src/base/errors.ts by npm run docs:pages -->

Every error has a stable \`code\`. The library throws it in a \`LoyaltyError\`. The HTTP API responds with its status, in
[a format](http.md) that depends on the status. Check the code, never the message. The error's \`docs\` links to its entry
below, as the command line does.

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

\`error.detail\` has the code and what belongs to it. After a check of the code, TypeScript knows its fields:

| Code | Field of \`detail\` | Example |
| --- | --- | --- |
| \`user_already_exists\` | \`conflicts\` | \`{ email_already_exists: ["ada@example.com"], external_id_already_exists: ["c-17"] }\`, only what is taken |
| \`validation_failed\` | \`fields\` | \`{ "user.email": "must be a valid email address" }\` |
| \`access_denied\` | \`scope\` | \`"pass:create"\` |
| all others | \`params\` | the values that the error refers to, or \`null\` |

\`\`\`ts
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";

const { users } = new LoyaltyService({ storage: memoryStorage() }).organization("acme");
await users.create({ email: "ada@example.com" });
try {
  await users.create({ email: "ada@example.com" });
} catch (error) {
  if (!isLoyaltyError(error, "user_already_exists")) throw error;
  console.log(error.detail.conflicts.email_already_exists?.[0]);
}
// → ada@example.com
\`\`\`

Express, Fastify, Hono, Koa and Nuxt respond to uncaught errors with their status. In other frameworks, return \`error.getResponse()\`. \`expose\` says whether clients may see the message: it is false from status 500 on. A message quotes at most 100 characters of a value, on one line, without markup.

Minor versions may add codes, so handle unknown codes by their status: retry 429 and 503 later, and show or log the rest.
Anything that isn't a \`LoyaltyError\` is a bug, or a \`TypeError\` for a wrong option.`;

/** Makes docs/errors.md: each code with its status, when it comes, and what to do about it. */
export function renderErrorsPage(): string {
  const codes = Object.entries(errorCodes);
  const statuses = [...new Set(codes.map(([, { status }]) => status))];
  const sections = statuses.map((status) => {
    const entries = codes.flatMap(([code, row]) =>
      row.status === status ? [renderEntry(code, row.meaning)] : [],
    );
    return [`## ${status} ${statusNames[status]}`, ...entries].join("\n\n");
  });
  return `${[beginning, ...sections].join("\n\n")}\n`;
}

function renderEntry(code: string, meaning: string): string {
  const [, remedy = ""] = Object.entries(remedies).find(([name]) => name === code) ?? [];
  return `### ${code}\n\n${meaning}\n\n**What to do:** ${remedy}`;
}
