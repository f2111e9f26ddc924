import type { WalletPass, WalletPassDetail } from "loyalty-kit";
import { createUser, progress } from "./model-users.js";
import type { Subject } from "./subject.js";
import { check, oldestFirst, refuse, type World } from "./world.js";

export function modelTemplates(world: World): Subject["templates"] {
  return {
    create: async ({ name, type, maxStamps = null, reward = null }) => {
      check({
        name: name.trim() === "",
        maxStamps: (type === "STAMP_CARD") === (maxStamps === null),
        reward: reward?.trim() === "",
      });
      const fields = {
        object: "template" as const,
        key: null,
        name: name.trim(),
        type,
        maxStamps,
        reward,
        design: null,
      };
      const template = { id: world.id("tpl"), ...fields, ...world.born() };
      world.templates.set(template.id, template);
      world.tell("template.created", template);
      return template;
    },
    list: async () => oldestFirst([...world.templates.values()]),
    get: async (id) => world.template(id),
    update: async (id, { name, maxStamps, reward }) => {
      check({ name: name?.trim() === "", reward: reward?.trim() === "" });
      const before = world.template(id);
      check({ maxStamps: maxStamps !== undefined && before.type === "LOYALTY_CARD" });
      const changed = {
        ...before,
        name: name?.trim() ?? before.name,
        maxStamps: maxStamps ?? before.maxStamps,
        reward: reward === undefined ? before.reward : reward,
      };
      if (JSON.stringify(changed) === JSON.stringify(before)) return before;
      const template = { ...changed, ...world.changedAt(before) };
      world.templates.set(id, template);
      world.tell("template.updated", template);
      return template;
    },
    delete: async (id) => {
      const template = world.template(id);
      if ([...world.passes.values()].some(({ templateId }) => templateId === id)) refuse("template_in_use");
      world.templates.delete(id);
      world.tell("template.deleted", template);
    },
  };
}

export function modelPasses(world: World): Subject["passes"] {
  const detail = (pass: WalletPass): WalletPassDetail => {
    const card = world.cards.get(pass.id);
    return {
      ...pass,
      template: world.template(pass.templateId),
      stampProgress: card === undefined ? null : progress(card.state),
      rewardsAvailable: card?.state.rewardsAvailable ?? null,
    };
  };
  const at = (passId: string, templateId: string | undefined) => {
    const pass = world.pass(passId);
    return templateId === undefined || templateId === pass.templateId ? pass : refuse("resource_not_found");
  };
  const mark = (passId: string, installationStatus: "INSTALLED" | "UNINSTALLED") => {
    const before = world.pass(passId);
    if (before.installationStatus === installationStatus) return detail(before);
    if (installationStatus === "UNINSTALLED" && before.installationStatus === null)
      refuse("pass_never_installed");
    const pass = { ...before, installationStatus, ...world.changedAt(before) };
    world.passes.set(passId, pass);
    world.tell(installationStatus === "INSTALLED" ? "pass.installed" : "pass.uninstalled", {
      ...pass,
      platform: null,
    });
    return detail(pass);
  };
  return {
    create: async (templateId, { userId, user }, { isPreviewPass = false } = {}) => {
      check({ userId: (userId === undefined) === (user === undefined) });
      if (user !== undefined)
        check({ "user.email": user.email?.includes("@") === false, "user.name": user.name?.trim() === "" });
      const { id: template, maxStamps } = world.template(templateId);
      const owner = user === undefined ? world.user(userId ?? "") : createUser(world, user, "user.");
      const id = world.id("wp");
      const pass: WalletPass = {
        id,
        object: "wallet_pass",
        userId: owner.id,
        templateId: template,
        qrCodeValue: `https://pass.invalid/${id.slice(-12)}`,
        isPreviewPass,
        installationStatus: null,
        ...world.born(),
      };
      world.passes.set(id, pass);
      if (maxStamps !== null) {
        const none = { currentStamps: 0, totalStampsCollected: 0, timesCompleted: 0, rewardsAvailable: 0 };
        const identity = { object: "stamp_card" as const, walletPassId: id, templateId: template };
        world.cards.set(id, { state: { ...identity, ...none, maxStamps, lastStampAt: null }, entries: [] });
      }
      world.tell("pass.created", pass);
      return pass;
    },
    get: async (passId, { templateId } = {}) => at(passId, templateId),
    ofUser: async (userId) => world.passesOf(world.user(userId).id).map(detail),
    lookup: async (qrCodeValue) => {
      const pass = [...world.passes.values()].find((each) => each.qrCodeValue === qrCodeValue);
      return detail(pass ?? refuse("resource_not_found"));
    },
    markInstalled: async (passId) => mark(passId, "INSTALLED"),
    markUninstalled: async (passId) => mark(passId, "UNINSTALLED"),
    delete: async (passId, { templateId } = {}) => world.removePass(at(passId, templateId)),
  };
}
