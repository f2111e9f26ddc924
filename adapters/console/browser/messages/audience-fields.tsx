import type { UserTag } from "../../../../src/resources/tag.js";
import { may } from "../api/session.js";
import type { Choices } from "../parts/choices.js";
import { Field, Select, TextField } from "../parts/field.js";
import { useLoad } from "../parts/load.js";
import { Failed, Loading } from "../parts/states.js";
import { counted } from "../parts/words.js";
import { noLists } from "../segments/filter-lists.js";
import { filterOf, type Group, tagFilterOf } from "../segments/filter-tree.js";
import { loadBuilder } from "../segments/load-builder.js";
import { CustomerSearch } from "./customer-search.js";
import { type AudienceKind, idsIn } from "./edited-message.js";
import type { MessagePartProps } from "./way-fields.js";

const EDIT_MS = 30;

const kinds: Choices<AudienceKind> = [
  ["all", "Everybody"],
  ["filter", "Customers with some tags"],
  ["userIds", "Some customers, one by one"],
];

/** Whom a message goes to. */
export function AudienceFields({
  edited,
  tags,
  errorOf,
  onChange,
}: MessagePartProps & { readonly tags: readonly UserTag[] }) {
  const { audience, tree, userIds } = edited;
  const allowed = kinds.filter(
    ([kind]) =>
      kind === audience || kind === "all" || (kind === "filter" ? may("user_tag:read") : may("user:read")),
  );
  const builder = useLoad(String(audience === "filter"), async () =>
    audience === "filter" ? loadBuilder() : null,
  );
  const wrong = errorOf("audience") ?? errorOf("audience.filter");
  return (
    <section class="panel padded stack" aria-label="To whom">
      <h2>To whom</h2>
      <Field
        label="Customers"
        hint="Of them it reaches those who agreed to news and have an address or the card in a wallet."
        error={wrong}
      >
        <Select value={audience} choices={allowed} onChoose={(kind) => onChange({ audience: kind })} />
      </Field>
      {audience === "filter" && (
        <>
          <Loading of={builder} height="9rem">
            {(loaded) =>
              loaded !== null && (
                <loaded.FilterBuilder
                  tree={tree}
                  lists={{ ...noLists, kinds: ["slug"], tags }}
                  onChange={(change) => onChange({ tree: change(tree) })}
                />
              )
            }
          </Loading>
          <Found tree={tree} />
        </>
      )}
      {audience === "userIds" && (
        <>
          <CustomerSearch
            label="Find a customer to add"
            onFound={({ id }) => onChange({ userIds: idsIn(`${userIds} ${id}`).join("\n") })}
          />
          <TextField
            label="Ids of customers"
            hint={`One on a line, ours or yours. ${counted(idsIn(userIds).length, "customer")} of 10,000.`}
            error={errorOf("audience.userIds")}
            rows={5}
            class="code"
            spellcheck={false}
            value={userIds}
            onText={(text) => onChange({ userIds: text })}
          />
        </>
      )}
    </section>
  );
}

/** How many customers a filter finds. */
function Found({ tree }: { readonly tree: Group }) {
  const built = filterOf(tree);
  const filter = built === null ? null : tagFilterOf(built);
  const found = useLoad(
    JSON.stringify(filter),
    async (calls) => (filter === null ? null : (await calls.tags.query({ filter, size: 1 })).totalElements),
    EDIT_MS,
  );
  if (found.error !== null) return <Failed error={found.error} onRetry={found.reload} />;
  return (
    <p class="quiet" aria-live="polite">
      {filter === null && "Add a tag to say who gets it."}
      {filter !== null && found.value !== null && `${counted(found.value, "customer")} found.`}
    </p>
  );
}
