import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { isTask, tasks } from "./tasks.js";

/** For how long nothing happens before and after the task, in milliseconds. */
const PAUSE = 200;
const RESOLUTION = 1;

const [, , task = "", file = "", users = ""] = process.argv;
if (!isTask(task)) throw new Error(`no task ${task}`);
const { work, close } = await tasks[task](file, Number(users));
await setTimeout(PAUSE);
globalThis.gc?.();
await setTimeout(PAUSE);

const idle = process.memoryUsage.rss();
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();
await setTimeout(PAUSE);
delay.reset();
// A monitor that was reset leaves out what comes before its next tick.
await setTimeout(PAUSE);
const start = performance.now();
const answer = await work();
const ms = performance.now() - start;
// A stall is seen by the timer that comes late because of it.
await setTimeout(PAUSE);
delay.disable();
const stallMs = Math.max(0, delay.max / 1e6 - RESOLUTION);
const memory = Math.max(0, process.resourceUsage().maxRSS * 1024 - idle);
console.log(JSON.stringify({ answer: JSON.stringify(answer), ms, stallMs, memory }));
await close();
