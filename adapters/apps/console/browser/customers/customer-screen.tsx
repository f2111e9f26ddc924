import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { User } from "../../../../../src/customers/schema.js";
import { hasScopes } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { customer as words } from "../words/en/customer.js";
import { momentText } from "../words/en/forms.js";
import { CardPanel } from "./card-panel.js";
import { CustomerActions } from "./customer-actions.js";
import { nameOf } from "./customer-name.js";
import { listNotes } from "./customer-notes.js";
import { IssueCard } from "./issue-card.js";
import { SubscriptionPanel } from "./subscription-panel.js";
import { Tags } from "./tags.js";
import { Timeline } from "./timeline.js";

interface CustomerScreenProps extends ScreenProps {
  /** Renders additional content about the customer below the tags. */
  readonly beside?: (customer: User) => ComponentChildren;
}

/** Shows a customer's profile, tags, stamp cards, consents, and history. */
export function CustomerScreen({ place, beside }: CustomerScreenProps) {
  const { id } = place;
  const user = useLoad(id, (calls) => calls.users.get(id));
  const passes = useLoad(id, async (calls) => (hasScopes("pass:read") ? calls.passes.ofUser(id) : []));
  const [turn, setTurn] = useState(0);
  const onHappened = () => setTurn((before) => before + 1);
  const onCards = () => {
    passes.reload();
    onHappened();
  };
  const noCards = hasScopes("pass:read") && <Empty isPanel title={words.noCards} />;
  return (
    <Loading of={user} height="6rem" count={3} missing={<NotFound />}>
      {(customer) => (
        <>
          <BackLink to="/customers" text={words.back} />
          <PageHead title={<bdi>{nameOf(customer)}</bdi>} tab={nameOf(customer)}>
            <CustomerActions customer={customer} onSaved={user.set} />
          </PageHead>
          <div class="halves one-customer">
            <div class="stack">
              <Profile customer={customer} />
              {hasScopes("user_tag:read") && <Tags userId={id} onHappened={onHappened} />}
              {beside?.(customer)}
            </div>
            <div class="stack">
              {hasScopes("pass:create", "template:read") && (
                <IssueCard customer={customer} onIssued={onCards} />
              )}
              <Loading of={passes} height="14rem" empty={noCards}>
                {(all) =>
                  all.map((pass) => (
                    <CardPanel
                      key={pass.id}
                      pass={pass}
                      owner={customer}
                      onDeleted={onCards}
                      onHappened={onHappened}
                    />
                  ))
                }
              </Loading>
            </div>
            <div class="stack">
              <SubscriptionPanel customer={customer} />
              {passes.value !== null && <Timeline customer={customer} passes={passes.value} turn={turn} />}
            </div>
          </div>
        </>
      )}
    </Loading>
  );
}

/** Shows a customer's known fields and metadata. */
function Profile({ customer }: { readonly customer: User }) {
  const { email, phone, externalId, metadata, createdAt, id } = customer;
  const rows: (readonly [string, string | null])[] = [
    [words.email, email],
    [words.phone, phone],
    [words.number, externalId],
    ...listNotes(metadata),
    [words.added, momentText(createdAt)],
    [words.id, id],
  ];
  return (
    <section class="panel padded stack" aria-label={words.profile}>
      <h2>{words.profile}</h2>
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
