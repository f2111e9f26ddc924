import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { expect, it, onTestFinished } from "vitest";
import { recordEvents } from "../events/recorded-events.js";
import { listStoredEvents } from "../events/stored-events.js";
import { createPlace, executeOnce } from "./place.js";

/**
 * Opens a service, and a way to make the server roll back its next transactions as if others had been faster.
 */
async function open() {
  const place = await createPlace();
  const loyalty = new LoyaltyService({ storage: await postgresStorage(place.url) });
  onTestFinished(async () => {
    await loyalty.close();
    await place.remove();
  });
  const loseRaces = (times: number, state: string) =>
    executeOnce(
      place.url,
      `create sequence runs;
      create function lose() returns trigger language plpgsql as $$ begin
        if nextval('runs') <= ${times} then raise exception 'lost' using errcode = '${state}'; end if;
        return new;
      end $$;
      create trigger lose before insert on loyalty_events for each row execute function lose()`,
    );
  const winRaces = () => executeOnce(place.url, "drop trigger lose on loyalty_events");
  return { loyalty, acme: loyalty.organization("acme"), loseRaces, winRaces };
}

it.each([
  ["a serialization failure", "40001"],
  ["a deadlock", "40P01"],
])("a change that is lost twice to %s is made and emitted once", async (_, state) => {
  const { loyalty, acme, loseRaces } = await open();
  const events = recordEvents(loyalty);
  await loseRaces(2, state);
  const ada = await acme.users.create({ email: "ada@example.com" });
  expect(events).toMatchObject([{ type: "user.created", data: ada }]);
  expect(await listStoredEvents(acme)).toMatchObject([{ id: events[0]?.id, data: ada }]);
  expect((await acme.contacts.list()).totalElements).toBe(1);
});

it("a change that is lost ten times is refused with the server's error as its cause, and leaves nothing behind", async () => {
  const { loyalty, acme, loseRaces, winRaces } = await open();
  const events = recordEvents(loyalty);
  await loseRaces(10, "40001");
  const rejection = acme.users.create({ email: "ada@example.com" });
  await expect(rejection).rejects.toMatchObject({ code: "storage_unavailable", cause: { code: "40001" } });
  expect(events).toEqual([]);
  expect(await listStoredEvents(acme)).toEqual([]);
  expect((await acme.contacts.list()).totalElements).toBe(0);
  await winRaces();
  await acme.users.create({ email: "ada@example.com" });
  expect(events).toHaveLength(1);
});
