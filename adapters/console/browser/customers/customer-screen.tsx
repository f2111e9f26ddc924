import { useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { User } from "../../../../src/resources/user.js";
import { get, post, remove } from "../app/call.js";
import { go, Link } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { CardPanel } from "./card-panel.js";
import { nameOf } from "./contact-list.js";
import { CustomerEvents } from "./customer-events.js";
import { CustomerForm } from "./customer-form.js";
import { IssueCard } from "./issue-card.js";
import { Profile } from "./profile.js";
import { Tags } from "./tags.js";

/** One customer: profile, tags, cards with their stamps and history. */
export function CustomerScreen({ place }: ScreenProps) {
  const id = encodeURIComponent(decodeURIComponent(place.path.split("/")[2] ?? ""));
  const user = useLoad<User>(id, (signal) => get(`/v1/users/${id}`, signal));
  const passes = useLoad<WalletPassDetail[]>(id, async (signal) =>
    may("pass:read") ? get(`/v1/users/${id}/passes`, signal) : [],
  );
  const [dialog, setDialog] = useState<"edit" | "delete" | "erase" | null>(null);

  if (user.error?.status === 404) return <NotFound />;
  if (user.error !== null && user.value === null) return <Failed error={user.error} onRetry={user.reload} />;
  if (user.value === null) return <Skeleton height="6rem" count={3} />;
  const customer = user.value;
  const name = nameOf(customer);
  const end = async (ending: Promise<void>, said: string) => {
    try {
      await ending;
      tell(`${name} was ${said}`);
      go("/customers");
    } catch (error) {
      tellFailure(error);
      setDialog(null);
    }
  };
  return (
    <>
      <Link class="back" to="/customers">
        <Icon name="back" /> Customers
      </Link>
      <PageHead title={<bdi>{name}</bdi>} tab={name}>
        {may("user:update") && (
          <>
            <Button onClick={() => setDialog("edit")}>Edit</Button>
            <Button kind="danger" onClick={() => setDialog("erase")}>
              Erase
            </Button>
            <Button kind="danger" onClick={() => setDialog("delete")}>
              Delete
            </Button>
          </>
        )}
      </PageHead>
      <div class="halves one-customer">
        <div class="stack">
          <Profile customer={customer} />
          {may("user_tag:read") && <Tags userId={id} />}
        </div>
        <div class="stack">
          {may("pass:create", "template:read") && <IssueCard userId={customer.id} onIssued={passes.reload} />}
          {passes.error !== null && <Failed error={passes.error} onRetry={passes.reload} />}
          {passes.value?.length === 0 && may("pass:read") && (
            <div class="panel">
              <Empty title="No cards yet" />
            </div>
          )}
          {passes.value === null && passes.error === null && <Skeleton height="14rem" />}
          {passes.value?.map((pass) => (
            <CardPanel key={pass.id} pass={pass} onDeleted={passes.reload} />
          ))}
        </div>
        {may("user:read", "user_tag:read", "pass:read", "webhook:manage") && <CustomerEvents userId={id} />}
      </div>
      {dialog === "edit" && (
        <CustomerForm
          customer={customer}
          onClose={() => setDialog(null)}
          onSaved={(saved) => {
            user.set(saved);
            setDialog(null);
            tell("Saved");
          }}
        />
      )}
      {dialog === "delete" && (
        <Confirm
          title={`Delete ${name}?`}
          verb={`Delete ${name}`}
          onConfirm={() => void end(remove(`/v1/users/${id}`), "deleted")}
          onClose={() => setDialog(null)}
        >
          <p>
            The customer’s tags, cards and stamps go too, and the cards no longer scan. This can’t be undone.
          </p>
        </Confirm>
      )}
      {dialog === "erase" && (
        <Confirm
          title={`Erase ${name}?`}
          verb={`Erase ${name}`}
          onConfirm={() => void end(post(`/v1/users/${id}/erase`), "erased")}
          onClose={() => setDialog(null)}
        >
          <p>
            As deleting, and nothing that tells of the person stays in events, answers and wallets. The
            statistics keep their numbers. This can’t be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
