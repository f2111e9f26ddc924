import { z } from "zod";
import { createTagSchema } from "./tag.js";
import { createUserSchema, type User } from "./user.js";

export const importUserSchema = createUserSchema.extend({
  tags: z.array(createTagSchema.shape.name).optional(),
});

/** A user to import: what `create` takes, and the user's tags, each by its slug or a name that its slug is made from. */
export type ImportUser = z.input<typeof importUserSchema>;

/** A user with the slugs of its tags, oldest assignment first. */
export type ExportedUser = User & { tags: string[] };
