// AG-UI's own client as it comes from npm: asks an agent, answers its interrupts, and prints what it holds after each run.
const { HttpAgent } = require("@ag-ui/client");

const [url, ...steps] = process.argv.slice(2);
const agent = new HttpAgent({ url, threadId: "thread-1" });
const errors = [];

async function main() {
  for (const step of steps) {
    const { say, resume } = JSON.parse(step);
    if (say) agent.addMessage({ id: `u-${say}`, role: "user", content: say });
    const events = [];
    const given = resume && agent.pendingInterrupts.map((each) => ({ interruptId: each.id, ...resume }));
    let finished = null;
    await agent.runAgent(given ? { resume: given } : {}, {
      onEvent: ({ event }) => void events.push(event.type),
      onRunFinishedEvent: ({ event }) => void (finished = event),
      onRunErrorEvent: ({ event }) => void errors.push(event.message),
    });
    const messages = agent.messages.map(({ role, content }) => ({ role, content }));
    console.log(JSON.stringify({ events, messages, outcome: finished?.outcome, errors }));
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
