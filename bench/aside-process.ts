import { setTimeout } from "node:timers/promises";
import { shorten } from "./bench.js";
import { measureStall } from "./stalled.js";
import { isTask, tasks } from "./tasks.js";

/** Idle time before the task, in milliseconds. */
const PAUSE = 200;

const [, , task = "", file = "", users = "", share = ""] = process.argv;
const settings = { share: Number(share) };
const pauseMs = shorten(PAUSE, settings);
if (!isTask(task)) throw new Error(`no task ${task}`);
const { work, close } = await tasks[task](file, Number(users));
await setTimeout(pauseMs);
globalThis.gc?.();
await setTimeout(pauseMs);

const idle = process.memoryUsage.rss();
const { result, ms, stallMs } = await measureStall(async () => await work(), settings);
const memory = Math.max(0, process.resourceUsage().maxRSS * 1024 - idle);
console.log(JSON.stringify({ result: JSON.stringify(result), ms, stallMs, memory }));
await close();
