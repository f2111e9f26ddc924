/** Thrown where the service would refuse a call, with the code that its caller sees. */
export class RefusedError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

export function refuse(code: string): never {
  throw new RefusedError(code);
}
