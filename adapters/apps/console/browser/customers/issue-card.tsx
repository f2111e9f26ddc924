import { useState } from "preact/hooks";
import type { User } from "../../../../../src/customers/schema.js";
import { CallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes, session } from "../api/session.js";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { Loading } from "../components/feedback.js";
import { Check, Select, toChoices } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as words } from "../words/en/customer.js";

interface IssueCardProps {
  readonly customer: User;
  readonly onIssued: () => void;
}

/** Lets the user issue a card to a customer and, optionally, email it to them. */
export function IssueCard({ customer, onIssued }: IssueCardProps) {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const [chosen, setChosen] = useState("");
  const [isMailed, setMailed] = useState(false);
  const address = customer.email;
  const canMail = session.hasMail && hasScopes("pass:notify") && address !== null;
  if (templates.value === null) return <Loading of={templates} height="2.25rem" />;
  const id = chosen || templates.value[0]?.id;
  if (id === undefined) {
    return (
      <p class="note">
        {words.noneToGive} <Link to="/cards">{words.makeOne}</Link>
      </p>
    );
  }
  const issue = () =>
    runWithToast(async () => {
      const notify = canMail && isMailed;
      const { notification } = await api.passes.create(id, {
        userId: customer.id,
        ...(notify && { notify }),
      });
      if (notification === undefined) showToast(words.issued);
      else if ("delivery" in notification) showToast(words.issuedAndMailed(address ?? ""));
      else {
        const refusal = new CallError(409, { code: notification.refused, params: null });
        showToast(words.notMailed(refusal.message));
      }
      onIssued();
    });
  return (
    <div class="stack tight">
      <div class="row">
        <Select
          class="grow"
          aria-label={words.toIssue}
          value={id}
          choices={toChoices(templates.value)}
          onChoose={setChosen}
        />
        <Button text={words.issue} onClick={() => void issue()} />
      </div>
      {canMail && (
        <Check isChecked={isMailed} onChange={setMailed}>
          {words.mailTo} <bdi>{address}</bdi>
        </Check>
      )}
    </div>
  );
}
