import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";

/**
 * Builds conditions that find events in the outbox efficiently. Each condition applies to one organization's events. The parameter
 * `events` is the events table's name or alias in the statement. Default: the table's name.
 */
export interface EventLocator {
  /** The column that sorts an organization's events by position. */
  readonly orderColumn: "position" | "place";
  /** Builds a condition that is true for the event at a position. */
  at(organizationId: Expression<string>, position: Expression<unknown>, events?: string): RawBuilder<SqlBool>;
  /** Builds a condition that is true for events whose position is in a list from `listParameter`. */
  among(organizationId: Expression<string>, positions: Expression<unknown>): RawBuilder<SqlBool>;
  /**
   * Builds a condition that is true for events at positions greater than `after`. If `to` isn't `null`, positions must also be at
   * most `to`.
   */
  between(
    organizationId: Expression<string>,
    after: Expression<unknown>,
    to: Expression<unknown> | null,
    events?: string,
  ): RawBuilder<SqlBool>;
  /** The check for misplaced events, or `null` if the database finds events by their position alone. */
  readonly check: EventLocationCheck | null;
}

/**
 * Finds and corrects events whose `place` and `position` columns contradict each other. Because positions have no gaps, only one
 * of the two numbers is both unused and adjacent to other events. That number is the correct one.
 */
export interface EventLocationCheck {
  /** Finds misplaced events in all organizations, because a misplaced event can be among another organization's events. */
  readonly findMisplaced: CompiledQuery<{ readonly organizationId: string; readonly id: string }>;
  /**
   * Builds the statement that corrects wrong positions. Run it before the statement from {@link relocate}.
   * @param organizationId the ID of the organization whose events should be corrected, or `null` for all organizations.
   */
  reposition(organizationId: string | null): CompiledQuery<unknown>;
  /**
   * Builds a statement that moves misplaced events to their correct positions. The statement skips an event if its position is
   * already taken.
   * @param organizationId the ID of the organization whose events should be moved, or `null` for all organizations.
   */
  relocate(organizationId: string | null): CompiledQuery<unknown>;
}
