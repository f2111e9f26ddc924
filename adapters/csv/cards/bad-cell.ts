/** A cell that can't be read as what its column is for. */
export class BadCell extends Error {
  /** @param field what the column is for. */
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}
