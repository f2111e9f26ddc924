import type { User } from "../../../../src/resources/user.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { momentText } from "../parts/words.js";

/** What is known of a customer. */
export function Profile({ customer }: { readonly customer: User }) {
  const { email, phone, externalId, metadata, createdAt, id } = customer;
  const rows: (readonly [string, string | null])[] = [
    ["Email", shownEmail(email)],
    ["Phone", phone],
    ["Your id", externalId],
    ...Object.entries(metadata).map(
      ([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)] as const,
    ),
    ["Added", momentText(createdAt)],
    ["Id", id],
  ];
  return (
    <section class="panel padded stack" aria-label="Profile">
      <h2>Profile</h2>
      <dl class="facts">
        {rows
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
