/** A cell that can't be read as what its column is for. */
export class BadCell extends Error {
  constructor(
    readonly column: string,
    message: string,
  ) {
    super(message);
  }
}
