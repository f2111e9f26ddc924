import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { TestOrganization } from "../kit/organization.js";
import { hashOf, somePicture } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const pictures: Statements = {
  "a picture is found by its hash, with its bytes to the letter": async (storage, acme) => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
    const picture = await acme.picture({ bytes, type: "image/jpeg", width: 1_125, height: 432 });
    await acme.picture();
    const found = await run(storage.findPicture(picture.hash));
    assert.deepEqual(found, picture);
    assert.equal(found?.bytes.constructor, Uint8Array);
  },

  "a picture that is not there is null": async (storage, acme) => {
    await acme.picture();
    assert.equal(await run(storage.findPicture(hashOf("another"))), null);
  },

  "a picture that the organization has stays as it is": async (storage, acme) => {
    const picture = await acme.picture();
    await acme.picture({ ...picture, createdAt: 7 });
    assert.deepEqual(await run(storage.findPicture(picture.hash)), picture);
  },

  "pictures are listed oldest first, by createdAt, then hash, without their bytes": async (storage, acme) => {
    const rows = await rowsByAge(async ({ id, createdAt }) => {
      const picture = await acme.picture({ hash: id, createdAt });
      const { bytes: _, ...entry } = picture;
      return { ...entry, id };
    });
    assert.deepEqual(
      await run(storage.listPictures(acme.id)),
      rows.map(({ id: _, ...entry }) => entry),
    );
  },

  "two organizations can have the same picture, and each removes its own": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    const picture = await acme.picture();
    await globex.picture(picture);
    assert.equal(await acme.write((tx) => tx.deletePicture(acme.id, picture.hash)), true);
    assert.deepEqual(await run(storage.listPictures(acme.id)), []);
    assert.deepEqual(await run(storage.findPicture(picture.hash)), picture);
    assert.equal(await globex.write((tx) => tx.deletePicture(globex.id, picture.hash)), true);
    assert.equal(await run(storage.findPicture(picture.hash)), null);
  },

  "deletePicture is false when there is no such picture": async (_storage, acme) => {
    assert.equal(await acme.write((tx) => tx.deletePicture(acme.id, somePicture().hash)), false);
  },
};
