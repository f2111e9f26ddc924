import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";

/**
 * Builds the conditions that find events in the outbox efficiently. Each condition applies to one organization's events. The
 * parameter `events` is the statement's name for the table. It defaults to the table's own name.
 */
export interface EventLocator {
  /** The column to sort by for listing an organization's events in order of position. */
  readonly order: "position" | "place";
  /** Returns a condition that is true for the event at a position. */
  at(organizationId: Expression<string>, position: Expression<unknown>, events?: string): RawBuilder<SqlBool>;
  /** Returns a condition that is true for events whose position is in a list from `listParameter`. */
  among(organizationId: Expression<string>, positions: Expression<unknown>): RawBuilder<SqlBool>;
  /**
   * Returns a condition that is true for events at positions greater than `after`. If `to` isn't `null`, positions must also be at
   * most `to`.
   */
  between(
    organizationId: Expression<string>,
    after: Expression<unknown>,
    to: Expression<unknown> | null,
    events?: string,
  ): RawBuilder<SqlBool>;
  /** The check for misplaced events, or `null` if an event's location can't disagree with its position. */
  readonly check: EventLocationCheck | null;
}

/**
 * Finds and corrects events whose place and position disagree. Because positions have no gaps, the number that is unused and
 * adjacent to other events is the correct one.
 */
export interface EventLocationCheck {
  /** Finds misplaced events in all organizations, because an event may lie among another organization's events. */
  readonly findMisplaced: CompiledQuery<{ readonly organizationId: string; readonly id: string }>;
  /**
   * Returns the statement that corrects wrong positions. Run it before the statement from {@link relocate}.
   * @param organizationId the organization to correct, or `null` to correct all organizations.
   */
  reposition(organizationId: string | null): CompiledQuery<unknown>;
  /**
   * Returns the statement that moves misplaced events, except where another event already has the correct place.
   * @param organizationId the organization to correct, or `null` to correct all organizations.
   */
  relocate(organizationId: string | null): CompiledQuery<unknown>;
}
