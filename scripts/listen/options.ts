import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EVENT_TYPES, type EventType, isEventType } from '../../src/domain/events/catalog.ts';
import { readJson } from '../files.ts';
import { Problem, readSettings } from '../settings.ts';

/** What `npm run listen` was asked to do. */
export interface ListenOptions {
  events: EventType[];
  /** Where events go; undefined: they are only printed. */
  forward?: string;
  /** Only events of this template. */
  template?: string;
  /** Signs what is forwarded: `whsec_` and base64. */
  secret: string;
  /** Whether to print an event as one line of JSON. */
  json: boolean;
  /** The service, without a trailing slash. */
  baseUrl: string;
  apiKey: string;
}

const SECRET_BYTES = 24;
const SECRET_PATTERN = /^whsec_[A-Za-z0-9+/]{4,}={0,2}$/;

export const USAGE = `npm run listen -- [options]

Subscribes to events in pull mode, prints them as they come and, with --forward, posts them to your server with the headers of a
webhook. An event is acknowledged when your server answers with 2xx. Until then it is posted again, and later events wait.
Ctrl-C ends the program and removes its subscriptions.

  --events A,B     events to listen to (default: all)
  --template ID    only events of this template
  --forward URL    URL of your server, for example http://localhost:3000/hook
  --secret S       whsec_… that signs what is forwarded (default: a new one, which is printed)
  --json           prints each event as one line of JSON
  --base-url URL   address of the service (default: the local one, from .local/demo.json)
  --api-key K      API key, better given as API_KEY in the environment (default: the demo account's)

Events: ${EVENT_TYPES.join(', ')}`;

/**
 * Reads a command line and what it leaves open from the environment and the running local service. Returns undefined
 * when the usage was asked for; throws a `Problem` for what is wrong.
 */
export function readListenOptions(words: string[], env: NodeJS.ProcessEnv): ListenOptions | undefined {
  const { values } = parse(words);
  if (values.help) return undefined;
  const { template, forward, json = false } = values;
  const secret = values.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (!SECRET_PATTERN.test(secret)) throw new Problem('--secret must be whsec_ and base64.');
  if (forward !== undefined && !isHttp(forward))
    throw new Problem(`--forward: "${forward}" is not an http or https URL.`);
  return { events: eventsOf(values.events), template, forward, secret, json, ...serviceOf(values, env) };
}

function parse(words: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: words,
      options: {
        events: { ...text, multiple: true },
        template: text,
        forward: text,
        secret: text,
        json: flag,
        'base-url': text,
        'api-key': text,
        help: { ...flag, short: 'h' },
      },
    });
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}. npm run listen -- --help shows all options.`);
  }
}

function eventsOf(given: string[] | undefined): EventType[] {
  if (!given) return EVENT_TYPES;
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !isEventType(name));
  if (unknown !== undefined) {
    throw new Problem(`--events: there is no event "${unknown}". Use one of ${EVENT_TYPES.join(', ')}.`);
  }
  return [...new Set(names)].filter(isEventType);
}

function serviceOf(values: { 'base-url'?: string; 'api-key'?: string }, env: NodeJS.ProcessEnv) {
  const demo = readJson<{ baseUrl: string; apiKey: string }>(join(readSettings(env).localDir, 'demo.json'));
  const baseUrl = values['base-url'] ?? demo?.baseUrl;
  if (!baseUrl) {
    throw new Problem('No service found: run npm start in another terminal first, or set --base-url and API_KEY.');
  }
  if (!isHttp(baseUrl)) throw new Problem(`--base-url: "${baseUrl}" is not an http or https URL.`);
  // The demo's key is for the demo's service and no other.
  const demoKey = baseUrl === demo?.baseUrl ? demo.apiKey : undefined;
  const apiKey = values['api-key'] ?? env.API_KEY ?? demoKey;
  if (!apiKey) throw new Problem(`Give an API key for ${baseUrl}: as API_KEY in the environment, or with --api-key.`);
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
