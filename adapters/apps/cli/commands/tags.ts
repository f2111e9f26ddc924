import type { Command } from "commander";
import { addOrganizationCommand, type CommandTarget, withOrganization } from "../database/organization.js";
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
  addOrganizationCommand(tags, "list", "list tags, oldest first", { isDefault: true }).action(
    async (target: CommandTarget) => {
      const all = await withOrganization(target, ({ tags }) => tags.list());
      const rows = all.map(({ slug, name, color, createdAt }) => [slug, name, color, createdAt]);
      const emptyMessage = `organization ${target.organization} has no tags`;
      printList(["SLUG", "NAME", "COLOR", "CREATED"], rows, emptyMessage, output);
    },
  );

  addOrganizationCommand(tags, "create", "create a tag and print its slug")
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
