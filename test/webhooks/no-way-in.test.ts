import { afterAll, describe, expect, it } from "vitest";
import { lookUpAddresses, WebhookClient } from "../../adapters/delivery/webhooks/worker/webhook-client.js";
import { isLoopbackAddress, isPublicAddress } from "../../src/base/values/networks.js";
import { certificate, startReceiver } from "./receiver.js";

const REFUSAL = "the host has no public IP address";

const clients: WebhookClient[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** @param namesOf returns the addresses that a name resolves to. */
function createClient(namesOf = lookUpAddresses, isAllowed = isPublicAddress): WebhookClient {
  const client = new WebhookClient(Date.now, { isAllowed, resolveAddresses: namesOf, ca: certificate.cert });
  clients.push(client);
  return client;
}

function send(client: WebhookClient, url: string) {
  return client.send({ url, headers: {}, body: "{}", signal: AbortSignal.timeout(5_000) });
}

const loopback = [
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0X7F.1",
  "0177.0.0.1",
  "0177.0x0.0.1",
  "017700000001",
  "１２７.０.０.１",
  "①②⑦.⓪.⓪.①",
  "𝟙𝟚𝟟.𝟘.𝟘.𝟙",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "127.0.0.1.",
  "0",
  "0.0.0.0",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::127.0.0.1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "any.localhost",
  "ｌｏｃａｌｈｏｓｔ",
];

const elsewhere = [
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "[::ffff:10.0.0.1]",
  "[fc00::1]",
  "[fe80::1]",
  "[fec0::1]",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[ff02::1]",
  "[2001:db8::1]",
];

/** Addresses that names can resolve to, as resolvers write them. */
const addresses = [
  "127.0.0.1",
  "0.0.0.0",
  "10.1.2.3",
  "169.254.169.254",
  "192.168.0.1",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
];

describe("the webhook client", () => {
  it.each([...loopback, ...elsewhere])(
    "doesn't connect to an address that is not public: %s",
    async (host) => {
      const { port, countConnections: connections } = await startReceiver();
      await expect(send(createClient(), `https://${host}:${port}/hook`)).rejects.toThrow(REFUSAL);
      expect(connections()).toBe(0);
    },
  );

  it.each(addresses)("doesn't connect to a name that resolves to %s", async (address) => {
    const { port, countConnections: connections } = await startReceiver();
    const client = createClient(async () => [address]);
    await expect(send(client, `https://receiver.example:${port}/hook`)).rejects.toThrow(REFUSAL);
    expect(connections()).toBe(0);
  });

  it("skips the addresses of a name that are not allowed", async () => {
    const { port, countConnections: connections } = await startReceiver();
    const isAllowed = (address: string) => address === "127.0.0.1";
    const client = createClient(async () => ["10.0.0.1", "127.0.0.2", "127.0.0.1"], isAllowed);
    expect(await send(client, `https://receiver.example:${port}/hook`)).toMatchObject({ status: 204 });
    expect(connections()).toBe(1);
  });

  it("connects to the address that it has checked, even if the name resolves to another one next", async () => {
    const { port, received } = await startReceiver();
    let lookUps = 0;
    const client = createClient(
      async () => {
        lookUps += 1;
        return lookUps === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
      },
      (address) => address === "127.0.0.1",
    );
    await send(client, `https://receiver.example:${port}/hook`);
    expect([lookUps, received.length]).toEqual([1, 1]);
    const movedClient = createClient(
      async () => ["127.0.0.2"],
      (address) => address === "127.0.0.1",
    );
    await expect(send(movedClient, `https://receiver.example:${port}/hook`)).rejects.toThrow(REFUSAL);
  });

  it("doesn't follow a redirect to a private address", async () => {
    const target = await startReceiver();
    const { url } = await startReceiver((_, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const client = createClient(lookUpAddresses, isLoopbackAddress);
    expect(await send(client, url)).toMatchObject({ status: 307 });
    expect(target.countConnections()).toBe(0);
  });

  it("doesn't use a proxy from the environment", async () => {
    const { url, received } = await startReceiver();
    const proxied = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"];
    for (const name of proxied) process.env[name] = "http://127.0.0.1:1";
    try {
      await send(createClient(lookUpAddresses, isLoopbackAddress), url);
    } finally {
      for (const name of proxied) delete process.env[name];
    }
    expect(received).toHaveLength(1);
  });

  it("reports the same error for an unknown name as for one with a private address", async () => {
    const private_ = createClient(async () => ["10.0.0.7"]);
    const none = createClient(async () => []);
    const unknown = createClient(() => Promise.reject(new Error("the host name couldn't be resolved")));
    for (const client of [private_, none, unknown]) {
      await expect(send(client, "https://intranet.example/")).rejects.toThrow(new Error(REFUSAL));
    }
  });

  it("does not reveal which private address it found", async () => {
    const failure = await send(
      createClient(async () => ["10.1.2.3"]),
      "https://inside.example/",
    ).catch(String);
    expect(failure).not.toContain("10.1.2.3");
  });
});
