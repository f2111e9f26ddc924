import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";

/**
 * Conditions with which a database finds rows of the outbox. Each applies to one organization's events, in a statement that calls
 * the table `events`. Default: the table's own name.
 */
export interface EventLocator {
  /** The column that sorts an organization's events by position. */
  readonly order: "position" | "place";
  /** True for the event at a position. */
  at(organizationId: Expression<string>, position: Expression<unknown>, events?: string): RawBuilder<SqlBool>;
  /** Matches events whose position is in a list from `listParameter`. */
  among(organizationId: Expression<string>, positions: Expression<unknown>): RawBuilder<SqlBool>;
  /** True for events at positions greater than `after` and, unless `to` is `null`, at most `to`. */
  between(
    organizationId: Expression<string>,
    after: Expression<unknown>,
    to: Expression<unknown> | null,
    events?: string,
  ): RawBuilder<SqlBool>;
  /** `null` if a row's location always follows from its organization and position. */
  readonly check: EventLocationCheck | null;
}

/**
 * Finds events whose place and position disagree. Positions have no gaps, so whichever of the two is correct is unused and adjacent
 * to other events.
 */
export interface EventLocationCheck {
  /** Finds events of all organizations, because an event may lie among another organization's events. */
  readonly findMisplaced: CompiledQuery<{ readonly organizationId: string; readonly id: string }>;
  /**
   * Corrects positions. Run this before {@link relocate}.
   * @param organizationId `null` for all organizations.
   */
  reposition(organizationId: string | null): CompiledQuery<unknown>;
  /**
   * Corrects places, unless another event is already there.
   * @param organizationId `null` for all organizations.
   */
  relocate(organizationId: string | null): CompiledQuery<unknown>;
}
