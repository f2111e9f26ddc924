import { randomUUID } from "node:crypto";
import { executeOnce, type Place } from "../place.js";

/**
 * Creates a role that may use a place, to test its limits.
 * @param place remove it after the role.
 * @param limits options of `alter role`, such as `connection limit 1`.
 * @returns the place's URL for the role.
 */
export async function createRole(place: Place, limits: string): Promise<Place> {
  const name = `role_${randomUUID().replaceAll("-", "")}`;
  const schema = new URL(place.url).searchParams.get("options")?.split("=")[1];
  const url = new URL(place.url);
  url.username = name;
  url.password = "secret";
  await executeOnce(
    place.url,
    `create role ${name} login password 'secret'; alter role ${name} ${limits};
     grant all on schema ${schema} to ${name}; grant all on all tables in schema ${schema} to ${name}`,
  );
  return {
    url: url.href,
    remove: () => executeOnce(place.url, `drop owned by ${name}; drop role ${name}`),
  };
}
