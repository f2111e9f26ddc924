/** An event as the outbox keeps it. */
export interface StoredEvent {
  /** The event's place among those of its organization: 1, 2, 3, … in the order of the commits, never given twice. */
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: number;
  /** JSON text, kept to the letter. */
  readonly data: string;
}

/** An event to come: storage gives it its position. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Which events an outbox keeps: those that are neither too old nor too many. */
export interface EventRetention {
  /** Events before this time may go. */
  readonly since: number;
  /** Events whose position is so many or more below the newest one ever given may go. */
  readonly atMost: number;
}

export interface EventReads {
  /**
   * The events of these types with a position above `after` (0 for the start), ascending, at most `limit`. `null` is
   * every type, an empty list none.
   */
  listEvents(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
  ): Promise<StoredEvent[]>;
  /** The highest position that an event of the organization was ever given; 0 before the first. */
  newestEventPosition(organizationId: string): Promise<number>;
}

export interface EventWrites {
  /**
   * Appends to the organization's outbox, in the order given. Until the transaction ends no other transaction of the
   * organization appends, so a reader who has seen a position has seen every lower one that there will ever be.
   * @returns the position of the last one.
   */
  appendEvents(organizationId: string, events: readonly NewEvent[]): Promise<number>;
  /**
   * Looks at the `limit` lowest positions and removes the events that need not be kept.
   * @returns how many were removed.
   */
  removeEvents(organizationId: string, keep: EventRetention, limit: number): Promise<number>;
}
