import type { Command } from "commander";
import type { App, CreatedApp } from "../../../src/resources/app.js";
import type { Grant } from "../../../src/resources/grant.js";
import type { Scope } from "../../../src/scopes.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { withId } from "../database/with-id.js";
import { organizationOption } from "../terminal/organization.js";
import { type Output, oneLine } from "../terminal/output.js";
import { listOfScopes, scopesOption, scopesText } from "../terminal/scopes-option.js";
import { tableOf } from "../terminal/table.js";

interface AppOptions {
  readonly database: Database;
  readonly organization: string;
}

interface CreateOptions extends AppOptions {
  readonly name: string;
  readonly redirectUri: readonly string[];
  readonly scopes: readonly Scope[];
  readonly public: boolean;
}

/** `loyalty-kit app create | list | revoke | rotate-secret | grants | disconnect` */
export function addApp(program: Command, output: Output): void {
  const app = program
    .command("app")
    .description("register OAuth 2.0 clients of an organization, and see what apps it lets in");

  app
    .command("create")
    .description("register an app and print its client id and secret; the secret is shown only now")
    .addOption(databaseOption())
    .addOption(organizationOption("whose apps"))
    .requiredOption("--name <text>", "what users are told that it is (required)")
    .requiredOption(
      "--redirect-uri <url...>",
      "where its users come back to, to the letter: https, or http on localhost (required)",
    )
    .option(
      "--public",
      "an app that can't keep a secret, such as one on phones, in browsers or of the command line: it has none, may come " +
        "back to a scheme such as com.example.app:/callback, and to any port of 127.0.0.1 and [::1]",
      false,
    )
    .addOption(scopesOption("what it may ask for"))
    .addHelpText("after", listOfScopes)
    .action(async ({ name, redirectUri, scopes, public: isPublic, ...place }: CreateOptions) => {
      const input = { name, redirectUris: [...redirectUri], scopes: [...scopes], isPublic };
      printed(await inOrganization(place, ({ apps }) => apps.create(input)), output);
    });

  app
    .command("list")
    .description("show all apps of an organization, oldest first")
    .addOption(databaseOption())
    .addOption(organizationOption("whose apps"))
    .action(async (place: AppOptions) => {
      const apps = await inOrganization(place, ({ apps }) => apps.list());
      if (apps.length === 0) output.note(`organization ${oneLine(place.organization)} has no apps`);
      else for (const line of tableOf([headings, ...apps.map(rowOf)])) output.result(line);
    });

  app
    .command("revoke")
    .description("remove an app and end all its tokens, at once and in every running server")
    .argument("<id>", "the client id")
    .addOption(databaseOption())
    .addOption(organizationOption("whose apps"))
    .action(async (id: string, place: AppOptions) => {
      await withId("app", id, place, ({ apps }) => apps.delete(id));
      output.result(`revoked ${id}`);
    });

  app
    .command("rotate-secret")
    .description("give an app another secret and print it; the one before ends in 24 hours, its tokens stay")
    .argument("<id>", "the client id")
    .option("--at-once", "end the secret before at once", false)
    .addOption(databaseOption())
    .addOption(organizationOption("whose apps"))
    .action(async (id: string, { atOnce, ...place }: AppOptions & { readonly atOnce: boolean }) => {
      printed(await withId("app", id, place, ({ apps }) => apps.rotateSecret(id, { atOnce })), output);
    });

  app
    .command("grants")
    .description("show what users of an organization allow apps of any organization, oldest first")
    .addOption(databaseOption())
    .addOption(organizationOption("whose users"))
    .action(async (place: AppOptions) => {
      const grants = await inOrganization(place, ({ grants }) => grants.list());
      if (grants.length === 0) output.note(`organization ${oneLine(place.organization)} lets no apps in`);
      else for (const line of tableOf([grantHeadings, ...grants.map(rowOfGrant)])) output.result(line);
    });

  app
    .command("disconnect")
    .description("end a grant and all its tokens, at once and in every running server")
    .argument("<id>", "the id of the grant")
    .addOption(databaseOption())
    .addOption(organizationOption("whose grant"))
    .action(async (id: string, place: AppOptions) => {
      await withId("grant", id, place, ({ grants }) => grants.delete(id));
      output.result(`disconnected ${id}`);
    });
}

function printed({ app, clientSecret }: CreatedApp, output: Output): void {
  output.result(`client_id=${app.id}`);
  if (clientSecret !== null) output.result(`client_secret=${clientSecret}`);
}

const headings = ["ID", "NAME", "TYPE", "SCOPES", "REDIRECT URIS", "CREATED"];

function rowOf({ id, name, isPublic, scopes, redirectUris, createdAt }: App): string[] {
  return [
    id,
    name,
    isPublic ? "public" : "confidential",
    scopesText(scopes),
    redirectUris.join(" "),
    createdAt,
  ];
}

const grantHeadings = ["ID", "CLIENT ID", "ALLOWED BY", "SCOPES", "CREATED"];

function rowOfGrant({ id, appId, subject, scopes, createdAt }: Grant): string[] {
  return [id, appId, subject, scopesText(scopes), createdAt];
}
