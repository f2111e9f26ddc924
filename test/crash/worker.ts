import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { EVERYBODY, ORGANIZATION, retention } from "./organization.js";

/*
 * Assigns a new tag to all users and deletes it, again and again, until it is killed. It reports when a round begins.
 */
const [, , file = ""] = process.argv;
const storage = await sqliteStorage(file);
const loyalty = new LoyaltyService({ storage, retention });
const { tags } = loyalty.organization(ORGANIZATION);
for (;;) {
  process.stdout.write("round\n");
  const { slug } = await tags.create({ name: `Campaign ${process.pid} ${performance.now()}` });
  await tags.assignUsers(slug, { filter: EVERYBODY });
  await tags.delete(slug);
}
