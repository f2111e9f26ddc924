import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { SegmentFilter } from "../../../../src/segments/filter-schema.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  createDatabaseOption,
  createMissingResourceHandler,
  parseUserSelector,
  readUsers,
  reportMissingSegment,
  type UserSelectorOptions,
  withOrganization,
  withService,
} from "../database/organization.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import { createFilterOption, createSegmentOption } from "../terminal/options.js";
import { type Output, printJson, printList } from "../terminal/output.js";

interface SegmentOptions extends CommandTarget, UserSelectorOptions {}

interface RefreshOptions extends Pick<CommandTarget, "database"> {
  readonly acceptClock: boolean;
}

interface NewSegmentOptions extends CommandTarget {
  readonly filter: SegmentFilter;
  readonly description?: string;
  readonly color?: string;
  readonly emitsEvents?: true;
}

/** Adds `loyalty-kit segment`, whose subcommands query users by filter and manage saved segments. */
export function addSegment(program: Command, output: Output): void {
  const segment = program
    .command("segment")
    .description("query users and manage saved segments")
    .addHelpText(
      "after",
      `\nA filter is a JSON object, for example '{"operator":"AND","conditions":[{"slug":"vip"}]}'. See docs/segments.md.`,
    );
  addSelectionCommands(segment, output);
  addSavedSegmentCommands(segment, output);
  addRefreshCommand(segment, output);
}

/** Adds the commands that work on the users in a filter or saved segment. */
function addSelectionCommands(segment: Command, output: Output): void {
  const addCommand = (name: string, description: string) =>
    addOrganizationCommand(segment, name, description)
      .addOption(createFilterOption("select users by tags and behavior with this JSON filter"))
      .addOption(createSegmentOption("select users in the saved segment with this slug"));

  addCommand("count", "print the number of matching users").action(async (options: SegmentOptions) => {
    const { filter, segment: slug = "" } = parseUserSelector(options);
    const total = await withOrganization(options, async ({ segments }) => {
      if (filter !== undefined) return (await segments.query({ filter, size: 0 })).totalElements;
      return (await reportMissingSegment(slug, segments.members(slug, { size: 1 }))).totalElements;
    });
    output.result(String(total));
  });

  addCommand("list", "print matching users as JSON, one per line, oldest first").action(
    (options: SegmentOptions) => {
      const selector = parseUserSelector(options);
      return withOrganization(options, async (organization) => {
        for await (const user of readUsers(organization, selector)) printJson(user, output);
      });
    },
  );

  const changes = [
    {
      name: "tag",
      description: "assign an existing tag to users",
      call: "assignUsers",
      changedVerb: "got",
      unchangedText: "already had it",
    },
    {
      name: "untag",
      description: "remove a tag from users",
      call: "unassignUsers",
      changedVerb: "lost",
      unchangedText: "didn't have it",
    },
  ] as const;
  for (const { name, description, call, changedVerb, unchangedText } of changes) {
    addCommand(name, description)
      .argument("<slug>", "tag slug")
      .action(async (slug: string, options: SegmentOptions) => {
        const selector = parseUserSelector(options);
        const { changed, unchanged } = await withOrganization(options, async ({ tags, segments }) => {
          if (selector.segment !== undefined)
            await reportMissingSegment(selector.segment, segments.get(selector.segment));
          return tags[call](slug, selector).catch((error: unknown) => {
            if (!isLoyaltyError(error, "resource_not_found")) throw error;
            throw new CommandError(`there is no tag with the slug ${slug}`);
          });
        });
        output.result(`${changed} ${changedVerb} the tag, ${unchanged} ${unchangedText}`);
      });
  }
}

/** Adds the commands that manage saved segments. */
function addSavedSegmentCommands(segment: Command, output: Output): void {
  addOrganizationCommand(segment, "create", "save a filter as a segment")
    .argument("<name>", "segment name; the slug is generated from it")
    .addOption(createFilterOption("filter (required)").makeOptionMandatory())
    .option("--description <text>", "description")
    .option("--color <color>", "color, such as #64748B")
    .addOption(new Option("--emits-events", "emit events when users enter or leave the segment"))
    .action(async (name: string, options: NewSegmentOptions) => {
      const { filter, description, color, emitsEvents = false } = options;
      const { slug, members } = await withOrganization(options, ({ segments }) =>
        segments.create({
          ...{ name, filter, emitsEvents },
          ...(description !== undefined && { description }),
          ...(color !== undefined && { color }),
        }),
      );
      output.result(`segment ${slug} saved with ${members ?? 0} users`);
    });

  addOrganizationCommand(segment, "show", "list saved segments, or print one as JSON")
    .argument("[slug]", "segment slug (default: list all segments)")
    .action(async (slug: string | undefined, target: CommandTarget) => {
      if (slug !== undefined) {
        const segment = await withOrganization(target, ({ segments }) =>
          reportMissingSegment(slug, segments.get(slug)),
        );
        printJson(segment, output, 2);
        return;
      }
      const all = await withOrganization(target, ({ segments }) => segments.list());
      const rows = all.map(({ slug: each, name, members, emitsEvents, createdAt }) => [
        ...[each, name, String(members ?? ""), emitsEvents ? "yes" : "no", createdAt],
      ]);
      const emptyMessage = `organization ${target.organization} has no saved segments`;
      printList(["SLUG", "NAME", "MEMBERS", "EVENTS", "CREATED"], rows, emptyMessage, output);
    });

  addOrganizationCommand(segment, "explain", "explain why a user is or isn't in a segment (printed as JSON)")
    .argument("<slug>", "segment slug")
    .argument("<user>", "user ID or external ID")
    .action(async (slug: string, user: string, target: CommandTarget) => {
      const explanation = await withOrganization(target, async ({ segments }) => {
        await reportMissingSegment(slug, segments.get(slug));
        return segments
          .explain(slug, user)
          .catch(createMissingResourceHandler({ kind: "user", id: user }, target));
      });
      printJson(explanation, output, 2);
    });

  addOrganizationCommand(segment, "delete", "delete a saved segment without deleting its users")
    .argument("<slug>", "segment slug")
    .action(async (slug: string, target: CommandTarget) => {
      await withOrganization(target, ({ segments }) =>
        reportMissingSegment(slug, segments.delete(slug)).catch((error: unknown) => {
          if (!isLoyaltyError(error, "segment_in_use")) throw error;
          const { detail } = error;
          const dependents = "params" in detail ? (detail.params ?? []) : [];
          throw new CommandError(`segment ${slug} is used by ${dependents.join(", ")}`, FAILURE_CODE, {
            cause: error,
          });
        }),
      );
      output.result(`segment ${slug} deleted`);
    });
}

/** Adds the command that brings the members of saved segments up to date. */
function addRefreshCommand(segment: Command, output: Output): void {
  segment
    .command("refresh")
    .description("re-evaluate saved segments as of last midnight, as serve does every night")
    .addOption(createDatabaseOption())
    .option("--accept-clock", "accept a system clock that has jumped ahead; this can't be undone", false)
    .action(async ({ acceptClock, database }: RefreshOptions) => {
      const { midnights, entered, left } = await withService({ database }, (loyalty) =>
        loyalty.refreshSegments({ acceptClock }),
      );
      output.result(
        `midnights processed: ${midnights}; users who entered: ${entered}; users who left: ${left}`,
      );
    });
}
