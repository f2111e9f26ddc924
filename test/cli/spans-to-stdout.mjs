// An SDK for NODE_OPTIONS=--import that writes each span as a line.
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const exporter = {
  export(spans, done) {
    for (const { name, parentSpanContext } of spans) {
      process.stdout.write(`span ${name} of ${parentSpanContext?.traceId ?? "nothing"}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
