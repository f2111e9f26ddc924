import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { isMessageDelivery } from "../sql/index-conditions.js";
import type { RowProblem } from "./finding.js";

/** Messages per read. */
const PAGE_SIZE = 500;

type MessageTotals = Readonly<
  Record<"recipients" | "pending" | "sending" | "accepted" | "failed", number> & { skipped: string }
>;

interface DeliveryCount {
  readonly messageId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly total: number;
}

/**
 * Creates the check for message totals. A message's totals must be consistent and at least as high as its counts of stored
 * deliveries. They can be higher, because old deliveries are removed over time. Only the number of deliveries being sent must match
 * exactly, because a delivery is never removed while it is being sent.
 */
export function createMessageCheck({ db }: SqlDialect) {
  const selectPage = (organizationId: string, after: string) =>
    db
      .selectFrom("loyalty_messages")
      .select(["id", "recipients", "pending", "sending", "accepted", "failed", "skipped"])
      .where("organization_id", "=", organizationId)
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE_SIZE)
      .compile();

  const countDeliveries = (organizationId: string) => sql<DeliveryCount>`
    select message_id as "messageId", status, reason, cast(count(*) as double precision) as total
    from loyalty_message_deliveries
    where organization_id = ${organizationId} and ${isMessageDelivery(sql.ref("kind"))}
    group by message_id, status, reason`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const countsByMessage = new Map<string, DeliveryCount[]>();
      for (const count of yield* session.all(countDeliveries(organizationId).compile(db))) {
        countsByMessage.set(count.messageId, [...(countsByMessage.get(count.messageId) ?? []), count]);
      }
      const problems: RowProblem[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const pageRows: ({ readonly id: string } & MessageTotals)[] = yield* session.all(
          selectPage(organizationId, after),
        );
        for (const { id, ...sums } of pageRows) {
          const reason = describeDifference(sums, countsByMessage.get(id) ?? []);
          if (reason !== null) problems.push({ about: id, reason });
        }
        after = pageRows.length < PAGE_SIZE ? undefined : pageRows.at(-1)?.id;
      }
      return problems;
    },
  };
}

/** Describes the error in a message's sums, or returns `null` if there is none. */
function describeDifference(
  { skipped, ...sums }: MessageTotals,
  rows: readonly DeliveryCount[],
): string | null {
  const skippedByReason = parseCounts(skipped);
  if (skippedByReason === null) return "its skipped deliveries aren't counts by reason";
  const { recipients, ...parts } = sums;
  const counts = [...Object.values(parts), ...Object.values(skippedByReason)];
  if (counts.some((part) => part < 0) || counts.reduce((sum, part) => sum + part, 0) !== recipients)
    return "its totals don't add up to its recipients";
  const sending = sumTotal(rows, "SENDING");
  if (sending !== sums.sending)
    return `its totals count ${sums.sending} deliveries as sending, but there are ${sending}`;
  const hasMore =
    sumTotal(rows, "PENDING") > sums.pending ||
    sumTotal(rows, "ACCEPTED") > sums.accepted ||
    sumTotal(rows, "FAILED") > sums.failed ||
    rows.some(
      ({ status, reason, total }) => status === "SKIPPED" && total > (skippedByReason[reason ?? ""] ?? 0),
    );
  return hasMore ? "it has more deliveries with a status than its totals count" : null;
}

function sumTotal(rows: readonly DeliveryCount[], status: string): number {
  return rows.reduce((sum, row) => (row.status === status ? sum + row.total : sum), 0);
}

function parseCounts(json: string): Readonly<Record<string, number>> | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value);
  return entries.every(([, count]) => Number.isSafeInteger(count)) ? Object.fromEntries(entries) : null;
}
