import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { Link } from "../app/router.js";
import { Button } from "../parts/button.js";
import { namedChoices, Select } from "../parts/field.js";
import { useLoad } from "../parts/load.js";
import { attempt, tell } from "../parts/toasts.js";

/** Gives a customer a card. */
export function IssueCard({ userId, onIssued }: { readonly userId: string; readonly onIssued: () => void }) {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const [chosen, setChosen] = useState("");
  if (templates.value === null) return null;
  const id = chosen || templates.value[0]?.id;
  if (id === undefined) {
    return (
      <p class="note">
        There is no card to give yet. <Link to="/cards">Make one</Link>
      </p>
    );
  }
  const issue = () =>
    attempt(async () => {
      await api.passes.create(id, { userId });
      tell("The card was issued");
      onIssued();
    });
  return (
    <div class="row">
      <Select
        class="grow"
        aria-label="Card to issue"
        value={id}
        choices={namedChoices(templates.value)}
        onChoose={setChosen}
      />
      <Button text="Issue card" onClick={() => void issue()} />
    </div>
  );
}
