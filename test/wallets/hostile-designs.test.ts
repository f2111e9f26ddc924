import { createHash } from "node:crypto";
import { memoryStorage } from "loyalty-kit/memory";
import { verifiedPass } from "loyalty-kit/testing";
import type { CardState, StampRenderer } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { buildExif, buildJpeg, buildPng, dataUrl } from "../cards/hostile-pictures.js";
import { someEmail } from "../kit/acme.js";
import { openWallets, pki } from "./apple/wallets-scene.js";

type Shop = Awaited<ReturnType<typeof openWallets>>;

/** Opens a shop, and a function that fetches the files of a pass. */
async function openDesigns(stampRenderer?: StampRenderer) {
  const storage = memoryStorage();
  const shop = await openWallets(storage, stampRenderer === undefined ? {} : { stampRenderer });
  const fetchFiles = async (url: string) => {
    const answer = await shop.api.fetch(new Request(url));
    expect(answer.status).toBe(200);
    return verifiedPass(Buffer.from(await answer.arrayBuffer()), pki.root, shop.clock.now).files;
  };
  return { ...shop, storage, fetchFiles };
}

async function createFirstPass({ loyalty }: Shop, organizationId: string, design: object): Promise<string> {
  const { templates, passes } = loyalty.organization(organizationId);
  const { id } = await templates.create({ name: "Tea card", type: "STAMP_CARD", maxStamps: 5, design });
  const pass = await passes.create(id, { user: { email: someEmail() } });
  return (await passes.walletLinks(pass.id)).apple ?? "";
}

const hashBytes = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("hanging drawings of one organization", () => {
  it("delay no first pass of another organization, and no other request", async () => {
    const starts: CardState[] = [];
    const drawer: StampRenderer = {
      strip: async (state) => {
        starts.push(state);
        if (state.look.backgroundColor === "#BAD000") await new Promise(() => {});
        return buildPng();
      },
      hero: async () => null,
    };
    const shop = await openDesigns(drawer);
    const hanging = [];
    for (const foregroundColor of ["#000001", "#000002", "#000003"]) {
      const url = await createFirstPass(shop, "acme", { backgroundColor: "#BAD000", foregroundColor });
      hanging.push(shop.api.fetch(new Request(url)));
    }
    await expect.poll(() => starts).not.toEqual([]);
    const files = await shop.fetchFiles(await createFirstPass(shop, "globex", {}));
    expect(files.get("strip@3x.png")).toEqual(buildPng());
    const other = await shop.api.fetch(new Request("https://shop.example/loyalty/wallets/images/none"));
    expect(other.status).toBe(404);
    expect(starts.filter(({ look }) => look.backgroundColor === "#BAD000")).toHaveLength(1);
    expect(hanging).toHaveLength(3);
  });
});

describe("a picture that was stored as it was uploaded", () => {
  async function storePicture(shop: Awaited<ReturnType<typeof openDesigns>>, bytes: Buffer, type: string) {
    const hash = hashBytes(bytes);
    await shop.storage.transaction("acme", function* (tx) {
      yield* tx.putPicture({ hash, type, width: 8, height: 8, bytes, createdAt: 0 });
    });
    return hash;
  }

  it("is left out of passes if it would be refused now, and isn't found", async () => {
    const shop = await openDesigns();
    const bytes = buildJpeg({ width: 2_048, height: 2_048, scans: 20_000 });
    const hash = await storePicture(shop, bytes, "image/jpeg");
    const plain = await shop.fetchFiles(await createFirstPass(shop, "acme", {}));
    const stamps = { filled: hash, empty: hash };
    const files = await shop.fetchFiles(
      await createFirstPass(shop, "acme", { strip: hash, logo: hash, stamps }),
    );
    expect(files.get("strip@3x.png")).toEqual(plain.get("strip@3x.png"));
    expect(files.get("logo.png")).toBeUndefined();
    const answer = await shop.api.fetch(new Request(`https://shop.example/loyalty/wallets/images/${hash}`));
    expect(answer.status).toBe(404);
  });

  it("is served without its metadata", async () => {
    const shop = await openDesigns();
    const place = "48.2082 N, 16.3738 E";
    const hash = await storePicture(shop, buildJpeg({ before: [buildExif(1, place)] }), "image/jpeg");
    const answer = await shop.api.fetch(new Request(`https://shop.example/loyalty/wallets/images/${hash}`));
    const servedBytes = Buffer.from(await answer.arrayBuffer());
    expect(servedBytes).toEqual(buildJpeg());
  });
});

it("a picture that can't be accepted is refused over HTTP with 422, on its field", async () => {
  const { api, acme } = await openDesigns();
  const { token } = await acme.apiTokens.create({ name: "designer", scopes: ["template:create"] });
  const strip = dataUrl(buildJpeg({ scans: 100 }));
  const body = JSON.stringify({ name: "Tea card", type: "STAMP_CARD", maxStamps: 5, design: { strip } });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = "https://shop.example/loyalty/v1/templates";
  const answer = await api.fetch(new Request(url, { method: "POST", headers, body }));
  expect(answer.status).toBe(422);
  expect(JSON.stringify(await answer.json())).toContain('"design.strip"');
});
