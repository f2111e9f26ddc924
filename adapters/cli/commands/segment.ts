import type { Command } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import type { TagFilter } from "../../../src/resources/tag-filter.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { filterOption } from "../terminal/filter-option.js";
import { organizationOption } from "../terminal/organization.js";
import type { Output } from "../terminal/output.js";

interface SegmentOptions {
  readonly database: Database;
  readonly organization: string;
  readonly filter: TagFilter;
}

/** How many users are read at a time. */
const PAGE = 100;

/** `loyalty-kit segment count | list | tag | untag` */
export function addSegment(program: Command, output: Output): void {
  const segment = program
    .command("segment")
    .description("work on the users whom a filter of tags finds")
    .addHelpText(
      "after",
      `\nA filter is JSON, such as '{"operator":"AND","conditions":[{"slug":"vip"}]}'; see docs/library.md.`,
    );
  const command = (name: string, description: string) =>
    segment
      .command(name)
      .description(description)
      .addOption(databaseOption())
      .addOption(organizationOption("whose users"))
      .addOption(filterOption("whom (required)").makeOptionMandatory());

  command("count", "print how many they are").action(async ({ filter, ...place }: SegmentOptions) => {
    const count = await inOrganization(
      place,
      async ({ tags }) => (await tags.query({ filter, size: 1 })).totalElements,
    );
    output.result(String(count));
  });

  command("list", "write each as a line of JSON, oldest first").action(
    async ({ filter, ...place }: SegmentOptions) => {
      await inOrganization(place, async ({ tags }) => {
        for (let page = 0, isLast = false; !isLast; page += 1) {
          const found = await tags.query({ filter, page, size: PAGE });
          for (const user of found.content) output.result(JSON.stringify(user));
          isLast = found.last;
        }
      });
    },
  );

  command("tag", "give all of them a tag that exists")
    .argument("<slug>", "the tag's slug")
    .action(async (slug: string, { filter, ...place }: SegmentOptions) => {
      const { changed, unchanged } = await inOrganization(place, ({ tags }) =>
        known(slug, tags.assignUsers(slug, { filter })),
      );
      output.result(`${changed} got the tag, ${unchanged} had it`);
    });

  command("untag", "take a tag from all of them")
    .argument("<slug>", "the tag's slug")
    .action(async (slug: string, { filter, ...place }: SegmentOptions) => {
      const { changed, unchanged } = await inOrganization(place, ({ tags }) =>
        known(slug, tags.unassignUsers(slug, { filter })),
      );
      output.result(`${changed} lost the tag, ${unchanged} did not have it`);
    });
}

async function known<T>(slug: string, call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (!isLoyaltyError(error, "resource_not_found")) throw error;
    throw new CommandError(`there is no tag ${slug}`);
  });
}
