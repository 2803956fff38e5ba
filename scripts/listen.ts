import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { LISTEN } from './cli/commands/listen.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { forward, type Outcome } from './listen/forward.ts';
import { eventLine, outcomeText } from './listen/lines.ts';
import { type ListenOptions, readListenOptions } from './listen/options.ts';
import { type Payload, Service } from './listen/service.ts';
import { runMain } from './settings.ts';
import { whenStopRequested } from './stop-request.ts';

/*
 * npm run listen: receives webhooks on a computer that the service can't reach. See `npm run listen -- --help`.
 */

const POLL_MS = 500;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000];
/** Starts the name of a listener's subscriptions, so that a later run can remove those of a killed one. */
const NAME_START = `npm-run-listen/${hostname()}/`;

const stopping = new AbortController();
const stopped = stopping.signal;

await runMain(async () => {
  await readCommandLine('listen', LISTEN);
  const options = readListenOptions(process.argv.slice(2), process.env);
  whenStopRequested().then(() => stopping.abort());
  const service = new Service(options, stopped, warnOnce(options));
  const identifiers: string[] = [];
  try {
    await removeLeftOvers(service);
    for (const event of options.events) {
      identifiers.push(await service.subscribe(event, options.template, NAME_START + process.pid));
    }
    say(options, opening(options));
    await listen(service, identifiers, options);
  } catch (error) {
    if (!stopped.aborted) throw error;
  } finally {
    for (const identifier of identifiers) await service.unsubscribe(identifier);
  }
  say(options, 'Stopped. The subscriptions were removed.');
});
process.exit();

/** Fetches, handles and acknowledges events until `stopped` aborts. */
async function listen(service: Service, identifiers: string[], options: ListenOptions): Promise<void> {
  for (;;) {
    const events = await service.fetch(identifiers);
    /** Last event of each subscription that is handled, but not acknowledged. */
    const done = new Map<string, Payload>();
    const acknowledge = async () => {
      for (const event of done.values()) await service.acknowledge(event);
      done.clear();
    };
    try {
      for (const event of events) {
        await handle(event, options, acknowledge);
        done.set(event.webhookId, event);
      }
    } finally {
      if (!stopped.aborted) await acknowledge();
    }
    if (events.length === 0) await delay(POLL_MS, undefined, { signal: stopped });
  }
}

/** Prints an event and forwards it until it is accepted. Before waiting, acknowledges the events already accepted. */
async function handle(event: Payload, options: ListenOptions, acknowledge: () => Promise<void>): Promise<void> {
  const url = options.forward;
  if (url === undefined) return print(event, options);
  for (let attempt = 0; ; attempt++) {
    const outcome = await forward(url, options.secret, event, stopped);
    stopped.throwIfAborted();
    const retryMs = outcome.delivered ? undefined : RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)];
    print(event, options, outcome, retryMs);
    if (retryMs === undefined) return;
    await acknowledge();
    await delay(retryMs, undefined, { signal: stopped });
  }
}

function print(event: Payload, { json }: ListenOptions, outcome?: Outcome, retryMs?: number): void {
  if (json) {
    console.log(JSON.stringify({ ...event, ...(outcome && { forwarded: outcome }) }));
  } else {
    const line = eventLine(event, new Date());
    console.log(outcome ? `${line}  ${outcomeText(outcome, retryMs)}` : line);
  }
}

function opening({ events, template, forward: url, secret, baseUrl }: ListenOptions): string {
  const which = events.length > 4 ? `${events.length} events` : events.join(', ');
  const to = url === undefined ? '' : `\nForwarding to ${url}, signed with ${secret}`;
  return `Listening to ${which} of ${template === undefined ? baseUrl : `template ${template}`}. Ctrl-C ends it.${to}\n`;
}

/** Writes a message. Uses standard error if standard output is for programs. */
function say({ json }: ListenOptions, text: string): void {
  if (json) console.error(text);
  else console.log(text);
}

/** Returns a function that reports an outage once until its reason changes. */
function warnOnce(options: ListenOptions): (why: string) => void {
  let last = '';
  return (why) => {
    if (why !== last) say(options, `${why} Waiting for it …`);
    last = why;
  };
}

/** Removes subscriptions left by killed listeners on this computer. */
async function removeLeftOvers(service: Service): Promise<void> {
  for (const { identifier, subscription_url: name } of await service.subscriptions()) {
    if (name?.startsWith(NAME_START) && !isAlive(Number(name.slice(NAME_START.length)))) {
      await service.unsubscribe(identifier);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
