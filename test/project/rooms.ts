/**
 * The rooms of each house and what they hold, floor by floor from the ground up: a room knows those of the floors below
 * it, and none of its own floor or above. What is not named stands above all of them.
 */
export const houses: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  src: [
    {
      "bounded-map.ts": "maps that keep so many entries",
      "error-messages.ts": "the words of errors: what is missing, and where to look",
      "copies.ts": "how several copies of the package in one process know each other",
    },
    {
      "errors.ts": "every error with its code and status",
      "scopes.ts": "what callers may be allowed",
      "event-types.ts": "the kinds of events",
      "signals.ts": "what is counted in this process",
      values: "forms of single values: texts, ids, times, addresses",
      secrets: "making, hashing and sealing secrets",
      concurrency: "who goes on when: steps, turns of the event loop, semaphores, what is in flight",
    },
    { "roles.ts": "what people who sign in may do" },
    {
      storage: "the storage port, and the bitmap that it speaks in",
      "picture-decoder.ts": "the port by which pictures are decoded",
      "tracing.ts": "the port by which work is traced",
    },
    {
      resources: "what goes over the wire: schemas, fields, and stored rows in that form",
      idempotency: "one effect for a key",
      jobs: "claims to work that is due, and when it is tried again",
      testing: "the storage suite, which adapters are held to",
    },
    { events: "what changes tell: recording, the outbox, listeners" },
    { tenant: "one organization as one caller sees it, and what a change is" },
    { sealing: "secrets that are kept sealed, and sealing them anew" },
    { segments: "users by tags and behavior, saved segments, and who enters and leaves them" },
    {
      tags: "tags, bulk tagging",
      access: "API tokens, apps, grants, and whom a token speaks for",
      webhooks: "endpoints, deliveries, replay, and reading the outbox",
      statistics: "the numbers of each day, and what changes them",
    },
    { people: "people who sign in: links, sessions, and whom they are" },
    { wallets: "what wallets hold of passes, and who is to be told of changes" },
    { messages: "consent, mails about passes, and what comes of them" },
    { customers: "users, contacts, import and export" },
    { cards: "templates, passes, stamps" },
    { settings: "what an organization has set for all that it does" },
    { automations: "what is done for customers by itself, at events and on dates" },
    { exports: "everything of an organization, as one file" },
    {
      operations: "what can be called: scope, route, schemas, errors",
      "loyalty-options.ts": "what a service and its callers may be given",
    },
    {
      "organization.ts": "all use cases of an organization",
      "service-internals.ts": "what adapters need of a service besides what hosts call",
    },
    { "loyalty-service.ts": "the service of a process" },
  ],
  "src/resources": [{ "parse.ts": "checking what came in" }, { fields: "the schemas of single fields" }],
  "src/customers": [
    { "existing-user.ts": "finding a user", "user-writes.ts": "what changes of users do and tell" },
    { import: "importing customers, in batches" },
  ],
  "adapters/testing/storage-suite": [
    { kit: "what the sentences are written with: records, and a scene of some of each" },
    { law: "every read after any writes, compared with another storage" },
    {
      access: "API tokens, apps, grants, the audit trail",
      cards: "templates, passes, stamps",
      customers: "users, and lists and searches of contacts",
      events: "the outbox",
      rows: "what holds of rows of every kind",
      messages: "who wants messages, mails on their way",
      automations: "automations, their runs, and when there is something to do",
      tags: "tags, assignments, segments",
      transactions: "what a transaction and a snapshot are",
      wallets: "what wallets hold, deliveries to them, pictures",
      webhooks: "endpoints, deliveries",
    },
  ],
  "adapters/testing/storage-suite/law": [
    { "world.ts": "what a history has written, and its choices" },
    { writes: "what can be written, by the part of the port" },
  ],
  "adapters/storage/kysely": [
    { session: "what runs statements" },
    { sql: "tables, dialects, and statements that are kept prepared" },
    { segments: "segments of tags: chunks, their cache, their check" },
    { change: "what a transaction keeps besides its rows" },
    {
      jobs: "rows that fall due, and claims to them",
      columns: "what users have and have done, by ordinal, in memory",
      "saved-segments": "saved segments, their members, and how far they are evaluated",
    },
    { contacts: "searching and sorting users" },
    {
      customers: "users",
      access: "API tokens, apps, grants",
      tags: "tags, assignments",
      webhooks: "endpoints, deliveries",
      wallets: "what wallets hold, deliveries to them, pictures",
      messages: "who wants messages, mails on their way",
      automations: "automations, their runs, and when there is something to do",
      migrations: "the tables",
    },
    { cards: "templates, passes, stamps", copying: "all rows, to another database" },
    { checking: "whether what follows from the rest does" },
  ],
  "adapters/storage/sqlite": [
    { driver: "better-sqlite3, and whether it fits this Node.js" },
    { connection: "one connection and its statements" },
    { library: "whether one SQLite library alone has the file open in its process" },
    { writer: "who writes, and when", readers: "who reads" },
  ],
  "adapters/http": [
    {
      request: "what comes in and goes out",
      "rate-limits": "how many requests are served",
      "router.ts": "which path leads where",
    },
    { "routes.ts": "the table of routes", "error-response.ts": "how errors are answered" },
    { openapi: "the description of the routes" },
  ],
  "adapters/apps/csv": [
    { "encodings.ts": "the encodings of texts", "cells.ts": "the texts of cells" },
    { "faults.ts": "what is wrong with files, by codes", "code-page.ts": "which code page a text is in" },
    {
      "cell-error.ts": "cells that can't be read",
      "encoding.ts": "finding out and reading the encodings of texts",
      "records.ts": "problems with files, and records as they are written",
    },
    {
      "columns.ts": "the columns of users, read and written",
      "dates.ts": "reading dates, whose order may have to be given",
      "parser.ts": "cutting texts into records",
    },
    {
      "cards.ts": "reading cells of cards",
      "consents.ts": "reading cells of what somebody has agreed to",
      "delimiter.ts": "finding out what separates fields",
    },
    {
      "reader.ts": "reading files",
      "writer.ts": "writing files",
    },
  ],
  "adapters/apps/cli": [
    { terminal: "options, settings, output and errors" },
    { csv: "importing files of customers", database: "databases and organizations to work on" },
    { server: "serving, and the settings of a server" },
    { doctor: "what is well with an installation, and what is not" },
    { completion: "the scripts by which shells complete commands" },
    { actions: "serving, importing and examining, loaded when they are run" },
    { commands: "the commands" },
  ],
  "adapters/storage/memory": [{ store: "rows, indexes over them, and undoing" }],
  "adapters/http/auth": [
    { jwt: "tokens of another authorization server", oauth: "an authorization server of OAuth 2.0" },
  ],
  "adapters/http/auth/oauth": [
    { "oauth-error.ts": "the errors of OAuth 2.0" },
    { "pages.ts": "the pages that people see" },
  ],
  "adapters/delivery/wallets": [
    {
      "json.ts": "reading JSON of others",
      "single-flight.ts": "one call for all who ask at once",
      "solid-png.ts": "a picture of one color",
      "built-in-words.ts": "words for what a design does not say",
      "card-look.ts": "what of a design is drawn",
      "text-lines.ts": "texts broken into lines",
      "deliverer.ts": "telling one platform",
      "responses.ts": "answering HTTP",
      "call-limit.ts": "how often something may be called",
      rasterizing: "making pixels of what is drawn, and of pictures of strangers, in threads",
    },
    { "lru-cache.ts": "what is remembered, up to so many bytes", "card-texts.ts": "what cards say" },
    { "picture-cache.ts": "the pictures of designs" },
    { "drawing.ts": "drawing in turns", "picture-decoder.ts": "pictures made anew" },
    {
      "setup.ts": "what can be wrong with a setup",
      "stamp-drawing": "the stamps of a card as a picture",
      "endpoints.ts": "the table of paths, with their methods",
    },
    {
      "card-picture.ts": "a card as it is drawn where no wallet shows it",
      "hero-pictures.ts": "stamps that are fetched by URL",
      "wallet-platform.ts": "what a platform is made of",
    },
    {
      apple: "Apple's Wallet: passes, their web service, pushes",
      google: "Google Wallet: cards, their links, callbacks",
    },
  ],
  "adapters/apps/pages": [{ languages: "what pages say, in each language" }],
  "adapters/apps/console": [
    { browser: "the screens" },
    {
      server: "what serves the screens, and signs people in",
      "till-worker": "the till without a connection",
    },
  ],
  "adapters/apps/console/browser": [
    {
      styles: "colors, sizes, and what each part looks like",
      words: "what the screens say, in each language",
    },
    { api: "who is signed in, and calls of the API for them" },
    { components: "what screens are made of: forms, dialogs, and what they show while they load or fail" },
    { app: "the frame of all screens, and their addresses" },
    {
      customers: "customers and their cards",
      people: "who signs in with an email, what each may do, and where",
    },
    {
      cards: "templates and their designs",
      developers: "tokens, apps, webhooks, events",
      settings: "whom mails are from, when messages are sent, and by which clocks",
      overview: "the numbers of each day",
      reference: "the operations of the API",
      segments: "segments and their customers",
      "sign-in": "the script of the page to sign in, for passkeys",
      till: "stamping at the till",
    },
    { messages: "messages to customers: writing and sending them, and who got them" },
    { automations: "what is done for customers by itself, and what came of it" },
  ],
  "adapters/apps/console/browser/words": [
    {
      "forms.ts": "how numbers, days and counted things are written",
      "translated.ts": "what a translation has to have",
    },
    { en: "the words that screens import, in English" },
    { de: "the words that a build puts in their place, in German" },
  ],
  "adapters/apps/console/browser/cards": [
    { "design-draft.ts": "a design while it is edited" },
    {
      print: "sheets that lead to a card, in the size that they are printed in",
      presets: "designs of trades to begin with",
    },
  ],
  "adapters/delivery/mail": [
    { "dkim.ts": "the key that signs mails" },
    { "setup.ts": "what can be wrong with a setup", "send-error.ts": "why a mail did not leave" },
    { "outgoing-mail.ts": "one mail, and the ways out" },
    { languages: "what mails say, in each language" },
    { "card-words.ts": "what a mail says of a card" },
    { smtp: "the way out over SMTP" },
  ],
  "adapters/delivery/jobs": [
    { "timers.ts": "timers, and pauses that can be cut short" },
    { "poll-loop.ts": "work that runs every so often" },
  ],
  "adapters/testing": [
    {
      mail: "a mail server for tests, and what mailbox providers do with its mails",
      wallets: "certificates, push service, phone and a Google for tests",
    },
    { "test-clock": "a service for the tests of an app, with a clock that is moved by hand" },
  ],
  "adapters/delivery/webhooks": [{ worker: "sending webhooks, and settling what time does to segments" }],
  "adapters/delivery/webhooks/worker": [{ client: "sending one attempt" }],
};

/**
 * The part of the core that adapters may import, in groups: modules of `src`, or rooms, which are open as a whole. Everything
 * else is the core's own, and may change without a look at any adapter.
 */
export const openToAdapters: readonly { readonly group: string; readonly modules: readonly string[] }[] = [
  {
    group: "The service as hosts have it: an adapter that serves it is a host, too.",
    modules: [
      "index.ts",
      "internals.ts",
      "loyalty-service.ts",
      "loyalty-options.ts",
      "organization.ts",
      "testing/",
    ],
  },
  {
    group: "The storage port, which databases implement, and the records of its tables.",
    modules: ["storage/"],
  },
  {
    group: "The operations and what goes over the wire: schemas, routes, errors, scopes, kinds of events.",
    modules: [
      "operations/",
      "resources/",
      "errors.ts",
      "error-messages.ts",
      "copies.ts",
      "roles.ts",
      "scopes.ts",
      "event-types.ts",
      "events/event-emitter.ts",
    ],
  },
  {
    group:
      "Single values and secrets: the forms of texts, ids, times and addresses, tokens and their hashes.",
    modules: ["values/", "secrets/"],
  },
  {
    group: "Running things: steps, turns of the event loop, semaphores, signals, spans, maps with a bound.",
    modules: ["concurrency/", "signals.ts", "tracing.ts", "bounded-map.ts"],
  },
  {
    group: "The queues whose work adapters do outside of the process: webhooks, mails and wallets.",
    modules: [
      "jobs/",
      "webhooks/events.ts",
      "webhooks/options.ts",
      "webhooks/queue.ts",
      "webhooks/delivery-schedule.ts",
      "webhooks/signature.ts",
      "messages/mail-backend.ts",
      "messages/mail-claim.ts",
      "messages/mail-outcome.ts",
      "messages/message-backend.ts",
      "messages/claimed-messages.ts",
      "messages/server-reply.ts",
      "wallets/issued-card.ts",
      "wallets/notification-quota.ts",
      "wallets/shown-message.ts",
      "wallets/wallet-backend.ts",
    ],
  },
  {
    group: "What a check compares, and makes anew.",
    modules: ["segments/stored-members.ts"],
  },
  {
    group: "What requests are allowed, and how their repeats are answered.",
    modules: [
      "access/app-tokens.ts",
      "access/audit-trail.ts",
      "access/token-verifier.ts",
      "people/passkeys.ts",
      "people/person-sessions.ts",
      "people/sign-ins.ts",
      "idempotency/call-outcome.ts",
      "idempotency/idempotent-call.ts",
    ],
  },
  {
    group: "The types of what single use cases give: imports, deletions, limits, kept events.",
    modules: ["cards/passes.ts", "customers/import/", "customers/user-writes.ts", "tenant/limits.ts"],
  },
];

/** Folders without a room or an entry that says what they hold: those of tests and benches, and what adapters share. */
export const besides: Readonly<Record<string, string>> = {
  "adapters/apps/console/server/passkeys": "signing people in by passkeys (WebAuthn), and adding those",
  "adapters/apps/csv": "files of customers, for the command line and the console",
  "adapters/delivery/jobs":
    "doing what is due: looking for it, batch by batch or step by step, and recording what came of it",
  "adapters/setup": "whether what a host has installed and set fits, and what to do",
  bench: "what docs/contributing/performance.md claims, measured against others in the same run",
  packaging: "what is published: bundles, notices, declarations, source maps",
  "packaging/api": "the public interface of each entry point, as it was last agreed to",
  "test/checking": "what a look through a damaged database finds and repairs",
  "test/cli": "the commands, run as people run them",
  "test/examples": "the programs in examples/",
  "test/kysely": "what both databases share: tables, columns, and tables that another release has migrated",
  "test/kit": "what tests of all rooms are written with",
  "test/model": "the whole library against a model of it that keeps no rules but those of the contract",
  "test/messages/sending": "messages that are sent, by mail and on cards, whatever happens meanwhile",
  "test/neighbors": "what a quiet organization feels of one that does its worst",
  "test/oauth": "the authorization server, against the specification and clients of others",
  "test/project": "rules for the project itself: rooms, documents, what is published",
  "test/project/package": "what somebody gets who installs the package, and nothing else",
  "test/project/figures": "sizes of the sources, and the code that a request runs through",
  "test/properties": "laws that hold for whatever is drawn",
  "test/http/unit": "parts of HTTP by themselves",
  "test/postgres/faults": "what goes wrong between the library and a server",
  "test/postgres/processes": "eight processes that fight over the same customers",
  "test/sqlite/processes": "programs that share a file",
  "test/mail/simulation": "processes that send, a mail server and a storage in virtual time",
  "test/wallets/simulation": "workers, Apple, Google, phones and a storage in virtual time",
  "test/webhooks/simulation": "workers, receivers and a network in virtual time",
  "bench/postgres": "the benches on Postgres",
  "bench/without-us": "what a program takes that does the same without the library",
};
