import * as z from "zod";
import type { Operations } from "../kernel/operation.js";
import {
  createTemplateSchema,
  ensureTemplateSchema,
  templateSchema,
  updateTemplateSchema,
} from "./schema.js";

export const templateOperations = {
  create: {
    operationId: "createTemplate",
    summary: "Create a template",
    description: "`maxStamps` is required for a `STAMP_CARD` and isn't allowed for other types.",
    answer: "The new template.",
    scope: "template:create",
    body: createTemplateSchema,
    status: 201,
    result: templateSchema,
    errors: ["template_already_exists", "too_many_pictures", "too_many_templates"],
  },
  ensure: {
    operationId: "ensureTemplate",
    summary: "Get or create a template by key",
    description:
      "You choose the key, so you can safely make this request every time your app starts. If a template " +
      "with this key exists, returns it unchanged with status 200, regardless of the other fields. " +
      "Otherwise, creates a template and returns it with status 201. Also requires the `template:read` " +
      "scope.",
    answer: "The template with this key.",
    scope: ["template:create", "template:read"],
    body: ensureTemplateSchema,
    statusOfNew: 201,
    result: templateSchema,
    errors: ["too_many_pictures", "too_many_templates"],
  },
  list: {
    operationId: "listTemplates",
    summary: "List all templates",
    answer: "All templates, oldest first.",
    scope: "template:read",
    result: z.array(templateSchema),
    errors: [],
  },
  get: {
    operationId: "getTemplate",
    summary: "Get a template",
    answer: "The template.",
    scope: "template:read",
    result: templateSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateTemplate",
    summary: "Update a template",
    description:
      "Updates only the fields you provide. The type can't be changed. Existing passes keep their " +
      "`maxStamps`. The key can be set only once.",
    answer: "The updated template.",
    scope: "template:update",
    body: updateTemplateSchema,
    result: templateSchema,
    errors: ["resource_not_found", "template_already_exists", "too_many_pictures"],
  },
  delete: {
    operationId: "deleteTemplate",
    summary: "Delete a template",
    description: "Fails with `template_in_use` if any passes have been issued from the template.",
    answer: "The template was deleted.",
    scope: "template:delete",
    result: null,
    errors: ["resource_not_found", "template_in_use"],
  },
} satisfies Operations<"templates">;
