/** Every path that wallets and phones may ask for, whoever they are; what stands in braces is a part of it. */
export const publicPaths = [
  "/wallets/images/{hash}",
  "/wallets/heroes/{signature}/{drawing}",
  "/wallets/apple/passes/{passId}/{file}",
  "/wallets/apple/v1/log",
  "/wallets/apple/v1/passes/{passTypeId}/{passId}",
  "/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}",
  "/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}/{passId}",
  "/wallets/google/callback",
  "/wallets/google/passes/{passId}/{token}",
  "/wallets/google/logos/{file}",
] as const;

const shapes = publicPaths.map((path) => path.split("/").slice(2));

/** Whether a path is one of them: what is not told of above is not answered. @param parts the path below `/wallets`. */
export function isPublic(parts: readonly string[]): boolean {
  return shapes.some(
    (shape) =>
      shape.length === parts.length && shape.every((each, at) => each.startsWith("{") || each === parts[at]),
  );
}
