import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredGrantToken } from "../../../../src/storage/apps.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { buildUserFolds, someOutcome, somePasskey, somePersonSession } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Strings that stores have been known to trim, normalize, fold, escape or truncate. */
const troublesomeTexts = [
  "",
  " ",
  " leading and trailing ",
  "tab\tnewline\nreturn\r\n",
  "\u0001\u001f\u007f\u0080\u009f",
  "\u00a0\u2028\u2029\u3000",
  "\ufeffbyte order mark\ufeff",
  "cafe\u0301 caf\u00e9 \u212b \u00c5 A\u030a",
  "İIıi ſs ßẞ ςσΣ",
  "\u202eright to left\u202c \u200d\u200b",
  "\ud7ff\ue000\ufffd\ufffe\uffff",
  "\u{10000}\u{1f600}\u{e01ef}\u{10ffff}",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  `'; DROP TABLE users; -- " \` \\ \\' \\u0000 %00 \\0`,
  "$1 ?1 :name @name %s {0} #{x}",
  "null",
  "1e3",
  "😀".repeat(120),
];

/** JSON strings that some stores rewrite. */
const documents = [
  "{}",
  '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"prototype":null}',
  '{"b":1,"a":2,"10":3,"9":4,"":5}',
  '{ "spaced" : [ 1.0, 1e2, -0, 12345678901234567890 ],\n\t"escaped":"\\u0000\\ud800\\n\\/" }',
  `{"text":"İ é e\u0301 \u2028 😀 \ufeff"}`,
  `{"long":"${"é😀".repeat(2_700)}"}`,
];

/** Returns strings of arbitrary code points, except NUL and surrogates. */
function createTexts(count: number): string[] {
  const random = pseudoRandom(3);
  const bounds = [0x80, 0x800, 0x10000, 0x110000];
  const createCodePoint = (): number => {
    const codePoint = random(bounds[random(bounds.length)] ?? 0x80);
    return codePoint === 0 || (codePoint >= 0xd800 && codePoint <= 0xdfff) ? createCodePoint() : codePoint;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: random(30) }, () => String.fromCodePoint(createCodePoint())).join(""),
  );
}

const everyText = [...troublesomeTexts, ...createTexts(60)];

/** Asserts, for each string, that `find` returns the row that `store` stored. */
async function assertRoundTrip<Row>(
  store: (text: string, at: number) => Promise<Row>,
  find: (row: Row) => Promise<unknown>,
) {
  for (const [at, text] of everyText.entries()) {
    const row = await store(text, at);
    assert.deepEqual(await find(row), row, JSON.stringify(text));
  }
}

export const texts: Statements = {
  "texts of a user are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text, at) => acme.user({ email: `${at}${text}`, name: text, phone: text, externalId: `${at}${text}` }),
      (user) => runStep(storage.reader(acme.id).findUser(user.id)),
    );
  },

  "texts of a tag are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text, at) => acme.tag({ slug: `${at}${text}`, name: text, description: text, color: text }),
      async ({ slug }) => {
        const { merging: _merging, ...found } = (await runStep(storage.reader(acme.id).findTag(slug))) ?? {
          merging: 0,
        };
        return found;
      },
    );
  },

  "texts of a template are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text) => acme.template({ name: text }),
      (template) => runStep(storage.reader(acme.id).findTemplate(template.id)),
    );
  },

  "texts of passes and their entries are returned exactly as stored": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    await assertRoundTrip(
      (text, at) => acme.pass(ada, template, { code: `${at}${text}` }),
      (pass) => runStep(storage.reader(acme.id).findPassByCode(pass.code)),
    );
    const pass = await acme.pass(ada, template);
    await assertRoundTrip(
      (text) => acme.stamp(pass.id, { note: text }),
      async () => (await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 1)))[0],
    );
  },

  "texts of purchases, returns, programs and point entries are returned exactly as stored": async (
    storage,
    acme,
  ) => {
    const template = await acme.template();
    const pass = await acme.pass(await acme.user(), template);
    await assertRoundTrip(
      async (text, at) => {
        const purchase = await acme.purchase({
          source: text,
          receipt: `${at}${text}`,
          userId: text,
          references: [text, "[]", text],
          currency: text,
          lines: JSON.stringify([{ name: text }]),
          note: text,
        });
        const purchaseReturn = await acme.purchaseReturn(purchase, { returnId: text, note: text });
        const program = await acme.pastProgram(template, { version: at, earning: text, points: text });
        const { entries } = await acme.points(pass.id, {
          entry: { note: text, source: text, receipt: text },
        });
        return { purchase, purchaseReturn, program, entries };
      },
      async ({ purchase, purchaseReturn, program }) => ({
        purchase: await runStep(storage.reader(acme.id).findPurchase(purchase.source, purchase.receipt)),
        purchaseReturn: await runStep(
          storage.reader(acme.id).findPurchaseReturn(purchase.id, purchaseReturn.returnId),
        ),
        program: await runStep(storage.reader(acme.id).findPastProgram(template.id, program.version)),
        entries: await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 1)),
      }),
    );
  },

  "texts of an API token are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text) => acme.apiToken({ name: text, prefix: text, scopes: [text, "user:read", text] }),
      (token) => runStep(storage.reader(acme.id).findApiToken(token.id)),
    );
  },

  "texts of a person are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text, at) =>
        acme.person({
          email: text,
          emailFold: `${at}${text}`,
          name: text,
          sessions: [somePersonSession({ device: text }), somePersonSession()],
          passkeys: [somePasskey({ name: text }), somePasskey()],
        }),
      (person) => runStep(storage.reader(acme.id).findPerson(person.id)),
    );
  },

  "texts of an idempotency record are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text) => acme.answer({ fingerprint: text, sealed: text }),
      (record) => runStep(storage.reader(acme.id).findIdempotencyRecord(record.keyHash)),
    );
  },

  "texts of an app are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text) => acme.app({ name: text, redirectUris: [text, "https://app.example/", text], scopes: [text] }),
      async (app) => (await runStep(storage.all.findApp(app.id)))?.app,
    );
  },

  "texts of grants and their tokens are returned exactly as stored": async (storage, acme) => {
    const app = await acme.app();
    const find = async (token: StoredGrantToken) =>
      await runStep(storage.all.findGrantTokenByHash(token.hash));
    await assertRoundTrip(
      async (text) => {
        const grant = await acme.grant(app, { subject: text, scopes: [text, "user:read", text] });
        return { grant, token: await acme.grantToken(grant, { details: text, scopes: [text] }) };
      },
      async ({ token }) => {
        const row = await find(token);
        return row === null ? null : { grant: row.grant, token: row.token };
      },
    );
    for (const details of documents) {
      const token = await acme.grantToken(await acme.grant(app), { details });
      assert.deepEqual((await find(token))?.token, token);
    }
  },

  "texts of subscriptions, settings and mail queues are returned exactly as stored": async (
    storage,
    acme,
  ) => {
    const ada = await acme.user();
    await acme.mailQueue();
    await assertRoundTrip(
      async (text) => {
        const queue = { token: text, linkKey: text };
        await acme.write((tx) => tx.updateQueue(mailJobs, queue));
        return [
          await acme.subscription(ada, { emailText: text, walletText: text, language: text }),
          await acme.settings({ timeZone: text }),
          await acme.messageSettings({ senderName: text, replyTo: text, footer: text, quietFrom: text }),
          queue,
        ];
      },
      async () => [
        await runStep(storage.reader(acme.id).findSubscription(ada.id)),
        await runStep(storage.reader(acme.id).findSettings()),
        await runStep(storage.reader(acme.id).findMessageSettings()),
        await runStep(storage.reader(acme.id).findQueue(mailJobs)),
      ],
    );
  },

  "texts of a message delivery and of each of its attempts are returned exactly as stored": async (
    storage,
    acme,
  ) => {
    const deliveries = await acme.messageDeliveries(
      everyText.map((text, at) => ({
        id: `${at}${text}`,
        userId: text,
        passId: text,
        messageId: text,
        language: text,
        attempts: [text, null, text].map((answer) => ({ at, durationMs: 0, code: null, answer })),
      })),
    );
    for (const delivery of deliveries) {
      assert.deepEqual(await runStep(storage.reader(acme.id).findMessageDelivery(delivery.id)), delivery);
    }
  },

  "texts of a message are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text, at) =>
        acme.message({
          id: `${at}${text}`,
          name: text,
          audience: JSON.stringify({ userIds: [text] }),
          link: text,
          texts: [{ language: text, wallet: text, subject: text, text }],
        }),
      (message) => runStep(storage.reader(acme.id).findMessage(message.id)),
    );
  },

  "texts of a webhook endpoint are returned exactly as stored": async (storage, acme) => {
    await assertRoundTrip(
      (text) => {
        const secrets = { secret: text, previousSecret: text };
        return acme.webhookEndpoint({ url: text, description: text, types: [text, "*", text], ...secrets });
      },
      (endpoint) => runStep(storage.reader(acme.id).findWebhookEndpoint(endpoint.id)),
    );
  },

  "texts of webhook deliveries and their attempts are returned exactly as stored": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const textsAndDocuments = [...everyText, ...documents];
    const deliveries = await acme.deliveries(
      endpoint,
      textsAndDocuments.map((text, at) => ({
        eventId: text,
        eventType: text,
        customBody: text,
        createdAt: 1_000 - at,
        nextAttemptAt: 1,
      })),
    );
    const limit = deliveries.length;
    assert.deepEqual(
      await runStep(storage.reader(acme.id).listDeliveries(endpoint.id, { before: null, limit })),
      deliveries,
    );
    await acme.claim(endpoint, { lease: "\u{1f600}" });
    const outcomes = deliveries.map((delivery) => {
      const outcome = someOutcome(delivery);
      return {
        ...outcome,
        attempt: { ...outcome.attempt, response: delivery.customBody, error: delivery.customBody },
      };
    });
    await acme.record(endpoint, outcomes, "\u{1f600}");
    assert.deepEqual(
      new Set(await runStep(storage.reader(acme.id).attemptsOf(deliveries.map(({ id }) => id)))),
      new Set(outcomes.map(({ attempt }) => attempt)),
    );
  },

  "texts of an event are returned exactly as stored": async (storage, acme) => {
    const events = await acme.events(
      everyText.map((text, at) => ({ id: `${at}${text}`, type: text, data: text })),
    );
    assert.deepEqual(await runStep(storage.reader(acme.id).listEvents(null, 0, events.length)), events);
    for (const text of everyText) {
      const expected = events.filter(({ type }) => type === text);
      assert.deepEqual(
        await runStep(storage.reader(acme.id).listEvents([text], 0, 100)),
        expected,
        JSON.stringify(text),
      );
    }
  },

  "an event's data is stored verbatim": async (storage, acme) => {
    const events = await acme.events(documents.map((data) => ({ data })));
    assert.deepEqual(await runStep(storage.reader(acme.id).listEvents(null, 0, 100)), events);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  },

  "metadata is stored verbatim": async (storage, acme) => {
    for (const text of documents) {
      const user = await acme.user({ metadata: text });
      assert.equal((await runStep(storage.reader(acme.id).findUser(user.id)))?.metadata, text);
      const changedUser = { ...(await acme.user()), metadata: text };
      await acme.write((tx) => tx.updateUser(changedUser, buildUserFolds(changedUser)));
      assert.deepEqual(await runStep(storage.reader(acme.id).listUsers(user.ordinal - 1, 2)), [
        user,
        changedUser,
      ]);
    }
    assert.equal(Reflect.get({}, "polluted"), undefined);
  },
};
