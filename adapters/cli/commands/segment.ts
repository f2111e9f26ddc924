import type { Command } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import type { SegmentFilter } from "../../../src/resources/segment-filter.js";
import {
  databaseOption,
  inOrganization,
  inService,
  organizationCommand,
  type Place,
  usersOf,
} from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { filterOption } from "../terminal/options.js";
import type { Output } from "../terminal/output.js";

interface SegmentOptions extends Place {
  readonly filter: SegmentFilter;
}

interface SweepOptions extends Pick<Place, "database"> {
  readonly acceptClock: boolean;
}

/** `loyalty-kit segment count | list | tag | untag | sweep` */
export function addSegment(program: Command, output: Output): void {
  const segment = program
    .command("segment")
    .description("work on the users whom a filter of tags and behaviour finds")
    .addHelpText(
      "after",
      `\nA filter is JSON, such as '{"operator":"AND","conditions":[{"slug":"vip"}]}'; see docs/library.md.`,
    );
  const command = (name: string, description: string) =>
    organizationCommand(segment, name, description, "whose users").addOption(
      filterOption("whom (required)").makeOptionMandatory(),
    );

  command("count", "print how many they are").action(async ({ filter, ...place }: SegmentOptions) => {
    const { totalElements } = await inOrganization(place, ({ segments }) =>
      segments.query({ filter, size: 0 }),
    );
    output.result(String(totalElements));
  });

  command("list", "write each as a line of JSON, oldest first").action(
    ({ filter, ...place }: SegmentOptions) =>
      inOrganization(place, async (organization) => {
        for await (const user of usersOf(organization, filter)) output.result(JSON.stringify(user));
      }),
  );

  segment
    .command("sweep")
    .description(
      "settle what time has done to the saved segments of all organizations, as serve does at each midnight",
    )
    .addOption(databaseOption())
    .option(
      "--accept-clock",
      "settle also where the clock is far ahead of what processes have seen, so that those go on; can't be taken back",
      false,
    )
    .action(async ({ acceptClock, database }: SweepOptions) => {
      const { midnights, entered, left } = await inService({ database }, (loyalty) =>
        loyalty.sweepSegments({ acceptsClock: acceptClock }),
      );
      output.result(`${midnights} midnights, ${entered} entered, ${left} left`);
    });

  const changes = [
    {
      name: "tag",
      does: "give all of them a tag that exists",
      call: "assignUsers",
      did: "got",
      not: "had it",
    },
    {
      name: "untag",
      does: "take a tag from all of them",
      call: "unassignUsers",
      did: "lost",
      not: "did not have it",
    },
  ] as const;
  for (const { name, does, call, did, not } of changes) {
    command(name, does)
      .argument("<slug>", "the tag's slug")
      .action(async (slug: string, { filter, ...place }: SegmentOptions) => {
        const { changed, unchanged } = await inOrganization(place, ({ tags }) =>
          tags[call](slug, { filter }).catch((error: unknown) => {
            if (!isLoyaltyError(error, "resource_not_found")) throw error;
            throw new CommandError(`there is no tag ${slug}`);
          }),
        );
        output.result(`${changed} ${did} the tag, ${unchanged} ${not}`);
      });
  }
}
