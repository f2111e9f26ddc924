import { setTimeout } from "node:timers/promises";
import { measureStall } from "./stalled.js";
import { isTask, tasks } from "./tasks.js";

/** Idle time before the task, in milliseconds. */
const PAUSE = 200;

const [, , task = "", file = "", users = ""] = process.argv;
if (!isTask(task)) throw new Error(`no task ${task}`);
const { work, close } = await tasks[task](file, Number(users));
await setTimeout(PAUSE);
globalThis.gc?.();
await setTimeout(PAUSE);

const idle = process.memoryUsage.rss();
const { result, ms, stallMs } = await measureStall(async () => await work());
const memory = Math.max(0, process.resourceUsage().maxRSS * 1024 - idle);
console.log(JSON.stringify({ result: JSON.stringify(result), ms, stallMs, memory }));
await close();
