import * as z from "zod";
import { pageCursorFields, withOneCursor } from "../base/fields/page-cursor.js";
import { wireTimestamp } from "../base/fields/text.js";
import { actorSchema } from "./actor-schema.js";

const MAX_LIMIT = 1_000;

/** The administrative actions that the audit trail records. */
export const auditActions = [
  "api_token.created",
  "api_token.rotated",
  "api_token.revoked",
  "app.created",
  "app.secret_rotated",
  "app.deleted",
  "grant.created",
  "grant.ended",
  "webhook_endpoint.created",
  "webhook_endpoint.updated",
  "webhook_endpoint.secret_rotated",
  "webhook_endpoint.deleted",
  "automation.created",
  "automation.updated",
  "automation.deleted",
  "message.sent",
  "message.canceled",
  "message_settings.updated",
  "settings.updated",
  "person.invited",
  "person.changed",
  "person.removed",
  "session.started",
  "session.ended",
  "passkey.added",
  "passkey.removed",
  "address.bounced",
  "organization.exported",
  "users.exported",
  "user.handed_out",
  "user.erased",
] as const;

export type AuditAction = (typeof auditActions)[number];

export const auditEntrySchema = z
  .object({
    object: z.literal("audit_entry"),
    sequence: z.int(),
    action: z.string().meta({ examples: [...auditActions] }),
    target: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    actor: actorSchema,
    hash: z.string(),
    createdAt: wireTimestamp,
  })
  .meta({ id: "AuditEntry" });

/**
 * An entry in the audit trail that records who did what to which resource. `target` is the resource's ID, and `hash` covers both
 * the entry and the previous entry's hash.
 */
export type AuditEntry = z.output<typeof auditEntrySchema>;

export const auditPageSchema = z
  .object({ content: z.array(auditEntrySchema), next: z.string() })
  .meta({ id: "AuditPage" });

/** A page of entries, oldest first. Pass `next` as `after` to get the next page. */
export type AuditPage = z.output<typeof auditPageSchema>;

/** The schema for audit queries. The cursor is the sequence number of the previous page's last entry. */
export const auditQuerySchema = withOneCursor(
  z.object({ ...pageCursorFields, limit: z.int().min(1).max(MAX_LIMIT).default(100) }),
);

export type AuditQuery = z.input<typeof auditQuerySchema>;

export const auditHeadSchema = z.object({ sequence: z.int(), hash: z.string() });

export const auditHeadQuerySchema = z.object({
  sequence: z.int().min(1).optional(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" })
    .optional(),
});

/** The newest entry from an earlier verification. Pass both `sequence` and `hash`, or neither. */
export type AuditHeadQuery = z.input<typeof auditHeadQuerySchema>;

export const auditVerificationSchema = z
  .object({
    object: z.literal("audit_verification"),
    entries: z.int(),
    head: auditHeadSchema.nullable(),
    brokenAt: z.int().nullable(),
  })
  .meta({ id: "AuditVerification" });

/**
 * The result of verifying the whole audit trail. `entries` is the entry count, `head` is the newest entry, and `brokenAt` is the
 * sequence number of the first entry that is missing or was changed, or `null` if the trail is intact.
 */
export type AuditVerification = z.output<typeof auditVerificationSchema>;
