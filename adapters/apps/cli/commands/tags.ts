import type { Command } from "commander";
import { type CommandTarget, organizationCommand, withOrganization } from "../database/organization.js";
import { toFieldError } from "../terminal/command-error.js";
import { type Output, printList } from "../terminal/output.js";

interface CreateOptions extends CommandTarget {
  readonly name: string;
  readonly color?: string;
  readonly description?: string;
}

/** Adds `loyalty-kit tags`, which lists tags or, with the subcommand `create`, creates one. */
export function addTags(program: Command, output: Output): void {
  const tags = program.command("tags").description("list or create tags");
  organizationCommand(tags, "list", "list tags, oldest first", { isDefault: true }).action(
    async (place: CommandTarget) => {
      const all = await withOrganization(place, ({ tags }) => tags.list());
      const rows = all.map(({ slug, name, color, createdAt }) => [slug, name, color, createdAt]);
      const none = `organization ${place.organization} has no tags`;
      printList(["SLUG", "NAME", "COLOR", "CREATED"], rows, none, output);
    },
  );

  organizationCommand(tags, "create", "create a tag and print its slug")
    .requiredOption("--name <text>", "tag name; the slug is generated from it (required)")
    .option("--color <#RRGGBB>", "color")
    .option("--description <text>", "description")
    .action(async ({ database, organization, note, ...tag }: CreateOptions) => {
      const createdTag = await withOrganization({ database, organization, note }, ({ tags }) =>
        tags.create(tag).catch((error: unknown) => {
          throw toFieldError(error);
        }),
      );
      output.result(createdTag.slug);
    });
}
