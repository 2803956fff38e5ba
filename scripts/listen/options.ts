import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EVENT_TYPES, type EventType, isEventType } from '../../src/domain/events/catalog.ts';
import { LISTEN } from '../cli/commands/listen.ts';
import { meant } from '../cli/nearest.ts';
import { parseWords, withVariables } from '../cli/parse-words.ts';
import { typed } from '../cli/program.ts';
import { readJson } from '../files.ts';
import { Problem, readSettings, UsageProblem } from '../settings.ts';

/** Options of `npm run listen`. */
export interface ListenOptions {
  events: EventType[];
  /** URL to forward events to; undefined only prints them. */
  forward?: string;
  /** Only events of this template. */
  template?: string;
  /** Signs forwarded events: `whsec_` and base64. */
  secret: string;
  /** Whether to print each event as one line of JSON. */
  json: boolean;
  /** The service's address, without a trailing slash. */
  baseUrl: string;
  apiKey: string;
}

const SECRET_BYTES = 24;
const SECRET_PATTERN = /^whsec_[A-Za-z0-9+/]{4,}={0,2}$/;

/**
 * Reads a command line; the environment and the local service supply defaults. Throws a `Problem` for invalid options.
 */
export function readListenOptions(words: string[], env: NodeJS.ProcessEnv): ListenOptions {
  const { values } = parseWords(LISTEN, words);
  const { template, forward, json = false } = values;
  const secret = values.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (!SECRET_PATTERN.test(secret)) throw new UsageProblem('--secret must be whsec_ and base64.');
  if (forward !== undefined && !isHttp(forward))
    throw new UsageProblem(`--forward: "${forward}" is not an http or https URL.`);
  return {
    events: eventsOf(values.events),
    template,
    forward,
    secret,
    json,
    ...serviceOf(values, withVariables(LISTEN, values, env)),
  };
}

function eventsOf(given: string[] | undefined): EventType[] {
  if (!given) return EVENT_TYPES;
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !isEventType(name));
  if (unknown !== undefined) {
    const near = meant(unknown, EVENT_TYPES);
    throw new UsageProblem(`--events: there is no event "${unknown}". Use one of ${EVENT_TYPES.join(', ')}.${near}`);
  }
  return [...new Set(names)].filter(isEventType);
}

function serviceOf(values: { 'base-url'?: string; 'api-key'?: string }, env: NodeJS.ProcessEnv) {
  const demo = readJson<{ baseUrl: string; apiKey: string }>(join(readSettings(env).localDir, 'demo.json'));
  const baseUrl = values['base-url'] ?? demo?.baseUrl;
  if (!baseUrl) {
    throw new Problem(
      `No service found: run ${typed('start')} in another terminal first, or set --base-url and API_KEY.`,
    );
  }
  if (!isHttp(baseUrl)) throw new UsageProblem(`--base-url: "${baseUrl}" is not an http or https URL.`);
  // Don't send the demo's key to another service.
  const demoKey = baseUrl === demo?.baseUrl ? demo.apiKey : undefined;
  const apiKey = values['api-key'] ?? env.API_KEY ?? demoKey;
  if (!apiKey)
    throw new UsageProblem(`Give an API key for ${baseUrl}: as API_KEY in the environment, or with --api-key.`);
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
