import type { WalletPass, WalletPassDetail } from "loyalty-kit";
import { createUser, toProgress } from "./model-users.js";
import type { Subject } from "./subject.js";
import { check, sortOldestFirst, throwRefusal, type World } from "./world.js";

export function createModelTemplates(world: World): Subject["templates"] {
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
        earning: null,
        points: null,
      };
      const template = { id: world.createId("tpl"), ...fields, ...world.createTimestamps() };
      world.templates.set(template.id, template);
      world.recordEvent("template.created", template);
      return template;
    },
    list: async () => sortOldestFirst([...world.templates.values()]),
    get: async (id) => world.getTemplate(id),
    update: async (id, { name, maxStamps, reward }) => {
      check({ name: name?.trim() === "", reward: reward?.trim() === "" });
      const before = world.getTemplate(id);
      check({ maxStamps: maxStamps !== undefined && before.type === "LOYALTY_CARD" });
      const updatedTemplate = {
        ...before,
        name: name?.trim() ?? before.name,
        maxStamps: maxStamps ?? before.maxStamps,
        reward: reward === undefined ? before.reward : reward,
      };
      if (JSON.stringify(updatedTemplate) === JSON.stringify(before)) return before;
      const template = { ...updatedTemplate, ...world.touch(before) };
      world.templates.set(id, template);
      world.recordEvent("template.updated", template);
      return template;
    },
    delete: async (id) => {
      const template = world.getTemplate(id);
      if ([...world.passes.values()].some(({ templateId }) => templateId === id))
        throwRefusal("template_in_use");
      world.templates.delete(id);
      world.recordEvent("template.deleted", template);
    },
  };
}

export function createModelPasses(world: World): Subject["passes"] {
  const toDetail = (pass: WalletPass): WalletPassDetail => {
    const card = world.cards.get(pass.id);
    return {
      ...pass,
      template: world.getTemplate(pass.templateId),
      stampProgress: card === undefined ? null : toProgress(card.state),
      pointCard: null,
      rewardsAvailable: card?.state.rewardsAvailable ?? null,
    };
  };
  const findPass = (passId: string, templateId: string | undefined) => {
    const pass = world.getPass(passId);
    return templateId === undefined || templateId === pass.templateId
      ? pass
      : throwRefusal("resource_not_found");
  };
  const mark = (passId: string, installationStatus: "INSTALLED" | "UNINSTALLED") => {
    const before = world.getPass(passId);
    if (before.installationStatus === installationStatus) return toDetail(before);
    if (installationStatus === "UNINSTALLED" && before.installationStatus === null)
      throwRefusal("pass_never_installed");
    const pass = { ...before, installationStatus, ...world.touch(before) };
    world.passes.set(passId, pass);
    world.recordEvent(installationStatus === "INSTALLED" ? "pass.installed" : "pass.uninstalled", {
      ...pass,
      platform: null,
    });
    return toDetail(pass);
  };
  return {
    create: async (templateId, { userId, user }, { isPreviewPass = false } = {}) => {
      check({ userId: (userId === undefined) === (user === undefined) });
      if (user !== undefined)
        check({ "user.email": user.email?.includes("@") === false, "user.name": user.name?.trim() === "" });
      const { id: template, maxStamps } = world.getTemplate(templateId);
      const owner = user === undefined ? world.getUser(userId ?? "") : createUser(world, user, "user.");
      const id = world.createId("wp");
      const pass: WalletPass = {
        id,
        object: "wallet_pass",
        userId: owner.id,
        templateId: template,
        qrCodeValue: `https://pass.invalid/${id.slice(-12)}`,
        isPreviewPass,
        installationStatus: null,
        ...world.createTimestamps(),
      };
      world.passes.set(id, pass);
      if (maxStamps !== null) {
        const none = { currentStamps: 0, totalStampsCollected: 0, timesCompleted: 0, rewardsAvailable: 0 };
        const identity = { object: "stamp_card" as const, walletPassId: id, templateId: template };
        world.cards.set(id, { state: { ...identity, ...none, maxStamps, lastStampAt: null }, entries: [] });
      }
      world.recordEvent("pass.created", pass);
      return pass;
    },
    get: async (passId, { templateId } = {}) => findPass(passId, templateId),
    ofUser: async (userId) => world.listPasses(world.getUser(userId).id).map(toDetail),
    lookup: async (qrCodeValue) => {
      const pass = [...world.passes.values()].find((each) => each.qrCodeValue === qrCodeValue);
      return toDetail(pass ?? throwRefusal("resource_not_found"));
    },
    markInstalled: async (passId) => mark(passId, "INSTALLED"),
    markUninstalled: async (passId) => mark(passId, "UNINSTALLED"),
    delete: async (passId, { templateId } = {}) => world.removePass(findPass(passId, templateId)),
  };
}
