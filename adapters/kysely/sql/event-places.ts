import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";

/**
 * How a database finds the rows of the outbox. Each condition is true for events of one organization alone, in a statement
 * that calls their table `events`: by its own name, unless given.
 */
export interface EventPlaces {
  /** The column by which an organization's events are in the order of their positions. */
  readonly order: "position" | "place";
  /** True for the event at a position. */
  at(organizationId: Expression<string>, position: Expression<unknown>, events?: string): RawBuilder<SqlBool>;
  /** True for the events at the positions of a list that `listParameter` made. */
  among(organizationId: Expression<string>, positions: Expression<unknown>): RawBuilder<SqlBool>;
  /** True for the events at positions above `after`, and up to `to` unless that is `null`. */
  between(
    organizationId: Expression<string>,
    after: Expression<unknown>,
    to: Expression<unknown> | null,
    events?: string,
  ): RawBuilder<SqlBool>;
  /** `null` where a row lies nowhere else than its organization and position say. */
  readonly check: EventPlaceCheck | null;
}

/** Between the checks of all organizations, each row is looked at once. */
export interface EventPlaceCheck {
  /** The events that lie where none of them is looked for. */
  misplaced(organizationId: string): CompiledQuery<{ readonly id: string }>;
  /** Puts them where they are looked for, unless there is another one. */
  replace(organizationId: string): CompiledQuery<unknown>;
}
