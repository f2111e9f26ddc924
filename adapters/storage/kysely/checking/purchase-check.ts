import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { sumRemaining } from "../../../../src/purchases/lines.js";
import { parseLines } from "../../../../src/purchases/schema.js";
import type { StoredPurchase } from "../../../../src/storage/purchases.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

interface WrongEffect {
  readonly purchaseId: string;
  readonly passId: string;
  /** 1 if the purchase exists, or 0. */
  readonly hasPurchase: number;
  /** Number of units that the purchase gives to the pass. */
  readonly units: number;
  /** Number of units that the pass's entries gave for the purchase. */
  readonly givenUnits: number;
}

interface UnexplainedEntries {
  readonly source: string;
  readonly receipt: string;
  readonly passId: string;
}

type CheckedPurchase = Pick<StoredPurchase, "id" | "source" | "receipt" | "lines" | "remainingAmount">;

/** Maximum number of purchases per read. */
const PAGE_SIZE = 1_000;

/**
 * Creates the check for purchases, their returns, and their effects. A purchase's entries on a pass must add up to its effect there. A
 * difference is only reported, because the rules that decide it may count other purchases too. What remains of a purchase must
 * follow from its lines.
 */
export function createPurchaseCheck({ db }: SqlDialect) {
  /** What each purchase has given to each pass, by the pass's entries. */
  const selectSums = (organizationId: string) => sql`
    select 'points' as unit, pass_id, source, receipt, sum(points) as given_units from loyalty_point_entries
    where organization_id = ${organizationId} and type in ('earned', 'returned')
    group by pass_id, source, receipt
    union all select 'stamps' as unit, pass_id, source, receipt, sum(delta) as given_units from loyalty_stamp_entries
    where organization_id = ${organizationId} and type in ('earned', 'returned')
    group by pass_id, source, receipt`;

  const selectWrong = (organizationId: string) => sql<WrongEffect>`
    with sums as materialized (${selectSums(organizationId)})
    select effect.purchase_id as "purchaseId", effect.pass_id as "passId",
      case when purchase.id is null then 0 else 1 end as "hasPurchase",
      cast(effect.units + effect.not_taken as double precision) as units,
      cast(coalesce(sums.given_units, 0) as double precision) as "givenUnits"
    from loyalty_purchase_effects effect
    left join loyalty_purchases purchase on purchase.organization_id = effect.organization_id
      and purchase.id = effect.purchase_id
    left join sums on sums.pass_id = effect.pass_id and sums.unit = effect.unit
      and sums.source = purchase.source and sums.receipt = purchase.receipt
    where effect.organization_id = ${organizationId}
      and (purchase.id is null or effect.units + effect.not_taken <> coalesce(sums.given_units, 0))
    order by effect.purchase_id, effect.pass_id`;

  const selectUnknown = (organizationId: string) => sql<UnexplainedEntries>`
    select sums.source, sums.receipt, sums.pass_id as "passId" from (${selectSums(organizationId)}) sums
    where sums.given_units <> 0 and not exists (
      select 1 from loyalty_purchases purchase
      join loyalty_purchase_effects effect on effect.organization_id = purchase.organization_id
        and effect.purchase_id = purchase.id and effect.pass_id = sums.pass_id and effect.unit = sums.unit
      where purchase.organization_id = ${organizationId}
        and purchase.source = sums.source and purchase.receipt = sums.receipt)
    order by sums.pass_id, sums.source, sums.receipt`;

  /** Finds effects whose program is no longer stored, so that a return couldn't be computed. */
  const selectWithoutProgram = (organizationId: string) => sql<Pick<WrongEffect, "purchaseId" | "passId">>`
    select purchase_id as "purchaseId", pass_id as "passId" from loyalty_purchase_effects effect
    where organization_id = ${organizationId} and not exists (
      select 1 from loyalty_templates template where template.organization_id = effect.organization_id
      and template.id = effect.template_id and template.program_version = effect.program_version)
    and not exists (
      select 1 from loyalty_past_programs program where program.organization_id = effect.organization_id
      and program.template_id = effect.template_id and program.version = effect.program_version)
    order by purchase_id, pass_id`;

  const selectLostReturns = (organizationId: string) => sql<{ purchaseId: string; returnId: string }>`
    select purchase_id as "purchaseId", return_id as "returnId" from loyalty_purchase_returns returns
    where organization_id = ${organizationId} and not exists (
      select 1 from loyalty_purchases purchase where purchase.organization_id = returns.organization_id
      and purchase.id = returns.purchase_id)
    order by purchase_id, return_id`;

  /** Finds purchases whose remaining amount doesn't follow from their lines. Reads some of them at a time. */
  function* findWrongRemainders(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
    const firstPage = db
      .selectFrom("loyalty_purchases")
      .select(["id", "source", "receipt", "lines", "remaining_amount as remainingAmount"])
      .where("organization_id", "=", organizationId)
      .orderBy("source")
      .orderBy("receipt")
      .limit(PAGE_SIZE);
    const problems: RowProblem[] = [];
    for (let last: CheckedPurchase | null = null; ; ) {
      const after: CheckedPurchase | null = last;
      const query =
        after === null
          ? firstPage
          : firstPage.where(({ eb, refTuple, tuple }) =>
              eb(refTuple("source", "receipt"), ">", tuple(after.source, after.receipt)),
            );
      const page: CheckedPurchase[] = yield* session.all(query.compile());
      for (const purchase of page) {
        const remaining = sumRemaining(parseLines(purchase));
        if (remaining !== purchase.remainingAmount)
          problems.push({
            about: purchase.id,
            reason: `its lines leave ${remaining ?? "nothing"}, but it says ${purchase.remainingAmount ?? "nothing"}`,
          });
      }
      last = page.at(-1) ?? null;
      if (page.length < PAGE_SIZE || last === null) return problems;
    }
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const wrong = yield* session.all(selectWrong(organizationId).compile(db));
      const unknown = yield* session.all(selectUnknown(organizationId).compile(db));
      const withoutProgram = yield* session.all(selectWithoutProgram(organizationId).compile(db));
      const lostReturns = yield* session.all(selectLostReturns(organizationId).compile(db));
      return [
        ...(yield* findWrongRemainders(session, organizationId)),
        ...wrong.map(({ purchaseId, passId, hasPurchase, units, givenUnits }) => ({
          about: `${purchaseId} on ${passId}`,
          reason:
            hasPurchase === 1
              ? `it gives ${units}, but its entries add up to ${givenUnits}`
              : "the purchase is missing",
        })),
        ...unknown.map(({ source, receipt, passId }) => ({
          about: `${source}/${receipt} on ${passId}`,
          reason: "entries are for a purchase that doesn't count on this pass",
        })),
        ...withoutProgram.map(({ purchaseId, passId }) => ({
          about: `program of ${purchaseId} on ${passId}`,
          reason: "the version of the template's program is missing",
        })),
        ...lostReturns.map(({ purchaseId, returnId }) => ({
          about: `return ${returnId} of ${purchaseId}`,
          reason: "the purchase is missing",
        })),
      ];
    },
  };
}
