import type { Command } from "commander";
import type { CreatedApp } from "../../../../src/access/app-schema.js";
import type { Scope } from "../../../../src/base/scopes.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  withOrganization,
  withResource,
} from "../database/organization.js";
import { createScopesOption, formatScopes, scopesHelp } from "../terminal/options.js";
import { type Output, printList } from "../terminal/output.js";

interface CreateOptions extends CommandTarget {
  readonly name: string;
  readonly redirectUri: readonly string[];
  readonly scopes: readonly Scope[];
  readonly public: boolean;
}

/** Adds `loyalty-kit app`, whose subcommands manage OAuth apps and their grants. */
export function addApp(program: Command, output: Output): void {
  const app = program.command("app").description("manage apps (OAuth 2.0 clients) and their grants");
  const addCommand = (name: string, description: string, argumentDescription = "organization ID") =>
    addOrganizationCommand(app, name, description, { argumentDescription });

  addCommand("create", "register an app and print its client ID and secret; the secret is shown only once")
    .requiredOption("--name <text>", "name shown to users (required)")
    .requiredOption(
      "--redirect-uri <url...>",
      "redirect URI, matched exactly; must use https, or http on localhost (required)",
    )
    .option(
      "--public",
      "register a public app, which has no secret (for mobile, browser, and command-line apps); it can redirect to a custom " +
        "scheme, such as com.example.app:/callback, or to any port on 127.0.0.1 or [::1]",
      false,
    )
    .addOption(createScopesOption("scopes the app can request"))
    .addHelpText("after", scopesHelp)
    .action(async ({ name, redirectUri, scopes, public: isPublic, ...target }: CreateOptions) => {
      const input = { name, redirectUris: [...redirectUri], scopes: [...scopes], isPublic };
      printCredentials(await withOrganization(target, ({ apps }) => apps.create(input)), output);
    });

  addCommand("list", "list apps, oldest first").action(async (target: CommandTarget) => {
    const apps = await withOrganization(target, ({ apps }) => apps.list());
    const rows = apps.map(({ id, name, isPublic, scopes, redirectUris, createdAt }) => {
      const type = isPublic ? "public" : "confidential";
      return [id, name, type, formatScopes(scopes), redirectUris.join(" "), createdAt];
    });
    const headings = ["ID", "NAME", "TYPE", "SCOPES", "REDIRECT URIS", "CREATED"];
    printList(headings, rows, `organization ${target.organization} has no apps`, output);
  });

  addCommand("revoke", "delete an app and immediately revoke all its tokens on every running server")
    .argument("<id>", "client ID")
    .action(async (id: string, target: CommandTarget) => {
      await withResource({ kind: "app", id }, target, ({ apps }) => apps.delete(id));
      output.result(`revoked ${id}`);
    });

  addCommand(
    "rotate-secret",
    "rotate an app's secret and print the new one; the previous secret stays valid for 24 hours, and existing tokens aren't affected",
  )
    .argument("<id>", "client ID")
    .option("--immediately", "revoke the previous secret immediately", false)
    .action(
      async (id: string, { immediately, ...target }: CommandTarget & { readonly immediately: boolean }) => {
        printCredentials(
          await withResource({ kind: "app", id }, target, ({ apps }) =>
            apps.rotateSecret(id, { immediately }),
          ),
          output,
        );
      },
    );

  addCommand(
    "grants",
    "list the grants that users have given to apps, oldest first",
    "organization ID",
  ).action(async (target: CommandTarget) => {
    const grants = await withOrganization(target, ({ grants }) => grants.list());
    const rows = grants.map(({ id, appId, subject, scopes, createdAt }) => {
      return [id, appId, subject, formatScopes(scopes), createdAt];
    });
    const headings = ["ID", "CLIENT ID", "GRANTED BY", "SCOPES", "CREATED"];
    printList(headings, rows, `organization ${target.organization} has no grants`, output);
  });

  addCommand(
    "disconnect",
    "immediately revoke a grant and all its tokens on every running server",
    "organization ID",
  )
    .argument("<id>", "grant ID")
    .action(async (id: string, target: CommandTarget) => {
      await withResource({ kind: "grant", id }, target, ({ grants }) => grants.delete(id));
      output.result(`disconnected ${id}`);
    });
}

function printCredentials({ app, clientSecret }: CreatedApp, output: Output): void {
  output.result(`client_id=${app.id}`);
  if (clientSecret !== null) output.result(`client_secret=${clientSecret}`);
}
