import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";

/**
 * Conditions by which a database finds rows of the outbox. Each one holds for events of one organization, in a statement with the
 * table `events`. Default: its own name.
 */
export interface EventLocator {
  /** The column by which an organization's events are in the order of their positions. */
  readonly order: "position" | "place";
  /** True for the event at a position. */
  at(organizationId: Expression<string>, position: Expression<unknown>, events?: string): RawBuilder<SqlBool>;
  /** Matches events whose position is in a list from `listParameter`. */
  among(organizationId: Expression<string>, positions: Expression<unknown>): RawBuilder<SqlBool>;
  /** True for the events at positions above `after`, and up to `to` unless that is `null`. */
  between(
    organizationId: Expression<string>,
    after: Expression<unknown>,
    to: Expression<unknown> | null,
    events?: string,
  ): RawBuilder<SqlBool>;
  /** `null` if a row lies nowhere else than its organization and position say. */
  readonly check: EventLocationCheck | null;
}

/**
 * Finds events whose place and position don't agree. Positions follow each other without gaps, so the right one of the two is
 * free, and next to other events.
 */
export interface EventLocationCheck {
  /** Returns events of all organizations, because an event may lie among the events of another one. */
  readonly findMisplaced: CompiledQuery<{ readonly organizationId: string; readonly id: string }>;
  /** Corrects positions. Run it before {@link relocate}. @param organizationId `null` for all organizations. */
  reposition(organizationId: string | null): CompiledQuery<unknown>;
  /** Corrects places, unless another event is there. @param organizationId `null` for all organizations. */
  relocate(organizationId: string | null): CompiledQuery<unknown>;
}
